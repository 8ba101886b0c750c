import { describe, expect, test } from 'vitest'
import { OffshootError } from '../../core/errors.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { DispatchPorts } from './dispatch-to-owner.ts'
import { hereOrThere } from './start-or-dispatch.ts'

const command = { verb: 'cancel', target: 'cnv_x', args: null } as const
const taken = new OffshootError('conflict', 'cnv_x is driven by another process')

/** `owners`: who drives the conversation each time that somebody looks. */
async function begin(owners: readonly (string | undefined)[], here: (tries: number) => unknown) {
  const left = [...owners]
  let tries = 0
  const livingOwner = () => {
    const owner = left.shift()
    return owner === undefined ? undefined : { owner }
  }
  const deps = { owner: 'this', ownership: { livingOwner } } as unknown as DispatchPorts
  const begun = await hereOrThere(deps, 'cnv_x' as ConversationId, command, async () => here(++tries)).catch(
    (error: unknown) => error,
  )
  return { begun, tries, looked: owners.length - left.length }
}

describe('what is to begin', () => {
  test('begins here where nobody, or this process, drives the conversation', async () => {
    expect(await begin([undefined], () => 'begun')).toMatchObject({ begun: { here: 'begun' }, tries: 1 })
    expect(await begin(['this'], () => 'begun')).toMatchObject({ begun: { here: 'begun' }, tries: 1 })
  })

  test('is tried again when another took the conversation in between, and has left it', async () => {
    const here = (tries: number) => {
      if (tries === 1) throw taken
      return 'begun'
    }
    expect(await begin([undefined, 'other', undefined], here)).toEqual({
      begun: { here: 'begun' },
      tries: 2,
      looked: 3,
    })
  })

  test('is refused in the words of whoever refuses it', async () => {
    const idle = () => {
      throw taken
    }
    expect(await begin([undefined, undefined], idle)).toMatchObject({ begun: taken, tries: 1 })
    const wrong = new OffshootError('usage', 'there is no agent x')
    const misspelt = () => {
      throw wrong
    }
    expect(await begin([undefined, 'other'], misspelt)).toMatchObject({ begun: wrong, tries: 1 })
  })

  test('is given up after three tries', async () => {
    const always = () => {
      throw taken
    }
    const owners = [undefined, 'other', undefined, 'other', undefined, 'other', undefined]
    expect(await begin(owners, always)).toMatchObject({ begun: taken, tries: 3 })
  })
})

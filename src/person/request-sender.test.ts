import { expect, test } from 'vitest'
import { findSender, type System } from './request-sender.ts'

const own = { address: '127.0.0.1', port: 1 }
const connection = { own, other: { address: '127.0.0.1', port: 2 } }
const AGENT = 66

function system(
  holders: { found?: number[]; hidden?: number[] } | undefined,
  more: Partial<System> = {},
): System {
  return {
    canTell: true,
    holders: async () => holders && { found: [], hidden: [], ...holders },
    isAgent: (pid) => pid === AGENT,
    isHere: () => true,
    ...more,
  }
}

test.each([
  ['its process', { found: [10] }, 'person'],
  ['a process of a run', { found: [AGENT] }, 'agent'],
  ['several processes, one of them of a run', { found: [10, AGENT] }, 'agent'],
  ['nobody that is seen, where processes hide their descriptors', { hidden: [10, 11] }, 'hidden'],
  ['one of a run that hides them', { hidden: [10, AGENT] }, 'agent'],
  ['a process that nobody sees', {}, 'unknown'],
  ['a process that has ended', undefined, 'unknown'],
] as const)('%s: %s', async (_, holders, sender) => {
  const given = holders && ({ ...holders } as { found?: number[]; hidden?: number[] })
  expect((await findSender(connection, system(given))).sender).toBe(sender)
})

test('a connection from another machine is not looked for here', async () => {
  expect((await findSender(connection, system(undefined, { isHere: () => false }))).sender).toBe('person')
})

test('where the system does not tell, nobody is refused', async () => {
  expect((await findSender(connection, system({ found: [AGENT] }, { canTell: false }))).sender).toBe('person')
})

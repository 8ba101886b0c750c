import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLimitTest, END_OF_RUN_LIMITS, limitScript, lockLimitOf } from './lock-limit.ts'

const OWNER = 'OFFSHOOT_OWNER'
const RUN = 'OFFSHOOT_RUN_ID'
const CALL = 'OFFSHOOT_CALL_ID'
const UNLIMITED = 2n ** 64n - 1n

function limitOf(owner: string, inherited?: bigint) {
  return lockLimitOf({ [OWNER]: owner, [RUN]: `run of ${owner}`, [CALL]: `call of ${owner}` }, inherited)!
}

/** The values that a search by mark would match to the limit. */
function foundBy(limit: ReturnType<typeof limitOf>, name: string, values: readonly string[]): string[] {
  return values.filter((value) => createLimitTest([{ name, value }])(limit))
}

/** Programs that start each other, the outermost first. */
const chains = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 8 })

test('programs nest up to eight deep, each with its own limit below the bound', () => {
  fc.assert(
    fc.property(chains, (owners) => {
      let inherited: bigint | undefined
      for (const owner of owners) {
        const { soft, hard } = limitOf(owner, inherited)
        expect(hard < (inherited ?? END_OF_RUN_LIMITS)).toBe(true)
        expect(soft < hard).toBe(true)
        inherited = hard
      }
    }),
  )
})

test('a limit identifies only its program, the outermost program, its run and its call', () => {
  fc.assert(
    fc.property(chains, fc.uniqueArray(fc.uuid(), { maxLength: 20 }), (owners, strangers) => {
      const inherited = owners
        .slice(0, -1)
        .reduce<bigint | undefined>((above, one) => limitOf(one, above).hard, undefined)
      const last = owners.at(-1)!
      const limit = limitOf(last, inherited)
      const all = [...new Set([...owners, ...strangers])]
      expect(foundBy(limit, OWNER, all)).toEqual([...new Set([owners[0], last])])
      expect(
        foundBy(
          limit,
          RUN,
          all.map((one) => `run of ${one}`),
        ),
      ).toEqual([`run of ${last}`])
      expect(
        foundBy(
          limit,
          CALL,
          all.map((one) => `call of ${one}`),
        ),
      ).toEqual([`call of ${last}`])
    }),
  )
})

test('a limit set by a person or administrator matches nothing', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, UNLIMITED), fc.bigInt(0n, UNLIMITED), fc.uuid(), (one, other, value) => {
      const [soft, hard] = one < other ? [one, other] : [other, one]
      const isFound = createLimitTest([OWNER, RUN, CALL].map((name) => ({ name, value })))
      expect(isFound({ soft, hard })).toBe(false)
    }),
  )
})

test('a process that changes its limit still belongs to its program while the hard limit is unchanged', () => {
  const { soft, hard } = limitOf('me')
  const raised = { soft: hard, hard }
  expect([foundBy(raised, OWNER, ['me']), foundBy(raised, RUN, ['run of me'])]).toEqual([['me'], []])
  expect(foundBy({ soft, hard: soft }, OWNER, ['me'])).toEqual([])
})

test('under a limit too low to carry marks, none is set', () => {
  expect(lockLimitOf({ [OWNER]: 'me' }, 1_000_003n)).toBeUndefined()
  expect(limitScript({ [OWNER]: 'me' }, 1_000_003n)).toBe(':')
})

test('a ninth program keeps the limit of the eighth, with its own run and call', () => {
  const eight = Array.from('abcdefgh').reduce<bigint | undefined>(
    (above, one) => limitOf(one, above).hard,
    undefined,
  )
  const ninth = limitOf('i', eight)
  expect(ninth.hard).toBe(eight)
  expect(foundBy(ninth, OWNER, Array.from('abcdefghi'))).toEqual(['a', 'h'])
  expect(foundBy(ninth, RUN, ['run of h', 'run of i'])).toEqual(['run of i'])
})

const SHELLS = ['sh', 'bash', 'dash', 'busybox', 'zsh', 'yash', 'mksh'].filter((name) =>
  process.env['PATH']!.split(delimiter).some((directory) => existsSync(join(directory, name))),
)
const MARKS = { [OWNER]: 'me', [RUN]: 'run_1', [CALL]: 'cal_1' }

/** The limits that a program with an empty environment has after the script. */
function limitsAfter(script: string, shell: string): string[] {
  const [program, ...args] = shell === 'busybox' ? ['busybox', 'sh'] : [shell]
  const last = 'exec env -i "$(command -v cat)" /proc/self/limits'
  const output = execFileSync(program, [...args, '-c', `${script}; ${last}`], { encoding: 'utf8' })
  return /file locks +(\S+) +(\S+)/.exec(output)!.slice(1)
}

test.each(SHELLS)('%s sets a limit below the bound', (shell) => {
  const [, hard] = limitsAfter(limitScript(MARKS, UNLIMITED), shell)
  expect(BigInt(hard!) < END_OF_RUN_LIMITS).toBe(true)
})

// mksh calculates with 32 bits
test.each(SHELLS.filter((name) => name !== 'mksh'))(
  '%s sets both limits, and can only lower them afterwards',
  (shell) => {
    const outer = lockLimitOf(MARKS, UNLIMITED)!
    const inner = lockLimitOf({ ...MARKS, [OWNER]: 'inner' }, outer.hard)!
    const first = limitScript(MARKS, UNLIMITED)
    const second = limitScript({ ...MARKS, [OWNER]: 'inner' }, outer.hard)
    expect(limitsAfter(first, shell)).toEqual([`${outer.soft}`, `${outer.hard}`])
    expect(limitsAfter(`${first}; ${second}`, shell)).toEqual([`${inner.soft}`, `${inner.hard}`])
  },
)

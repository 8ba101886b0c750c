import { describe, expect, test } from 'vitest'
import { runProcess } from '../../src/exec/run-process.ts'
import { startCell } from '../../src/exec/sandbox/start-cell.ts'
import { layoutOf, type CellPlaces } from '../../src/tools/cell/cell-layout-of.ts'
import { between, pick, randomOf } from '../kill/random.ts'
import { BUBBLEWRAP } from '../support/in-cell.ts'
import { Grammar } from './grammar.ts'
import { inTrace } from './in-trace.ts'
import { Lane, type Start } from './lane.ts'
import { escapes, trespasses } from './oracle.ts'
import { decideCommand, SETTINGS, type Decided, type Setting } from './settings.ts'

const SEED = 38
const COMMANDS = 2_100
const LANES = 3
const SLOW = { timeout: 600_000 }
/** Programs that were started, and files of the workspace that were opened or changed. */
const seen = { execute: 0, read: 0, write: 0, connect: 0 }

/** What is wrong with one command that ran. */
async function objections(
  lane: Lane,
  setting: Setting,
  command: string,
  { survey }: Decided,
): Promise<string[]> {
  const traced = await lane.run(command)
  for (const { kind, what } of traced.deeds)
    if (kind === 'execute' || what.startsWith(`${lane.root}/`)) seen[kind]++
  const found = [...escapes(lane, traced), ...trespasses(lane, setting, survey, traced)]
  return found.map((each) => `${setting.name}: ${command}\n  ${each}`)
}

/** Draws commands and runs those that nobody is asked about, until there were so many. */
async function runLane(seed: number, commands: number): Promise<string[]> {
  await using lane = new Lane()
  const [grammar, random] = [new Grammar(randomOf(seed)), randomOf(seed + 1_000)]
  const found: string[] = []
  for (let ran = 0; ran < commands;) {
    const [command, setting] = [grammar.line(), pick(random, SETTINGS)]
    const decided = decideCommand(lane, setting, command)
    if (decided.decision.action !== 'allow') continue
    ran++
    found.push(...(await objections(lane, setting, command, decided)))
  }
  return found
}

test(
  `${COMMANDS} commands that nobody was asked about did only what the rules and their cell allow (seed ${SEED})`,
  SLOW,
  inTrace(async () => {
    const lanes = Array.from({ length: LANES }, (_, at) => runLane(SEED * 10 + at, COMMANDS / LANES))
    expect((await Promise.all(lanes)).flat()).toEqual([])
    expect(seen.execute).toBeGreaterThan(COMMANDS * 1.5)
    expect(Math.min(seen.read, seen.write)).toBeGreaterThan(COMMANDS / 4)
  }),
)

describe('what would be found', () => {
  test(
    `without the rules: commands that nobody would have allowed (seed ${SEED})`,
    SLOW,
    inTrace(async () => {
      await using lane = new Lane()
      const grammar = new Grammar(randomOf(SEED))
      const setting = SETTINGS.find(({ name }) => name === 'auto with rules')!
      const found: string[] = []
      for (let ran = 0; ran < 150; ran++) {
        const command = grammar.line()
        found.push(...(await objections(lane, setting, command, decideCommand(lane, setting, command))))
      }
      for (const kind of [/is a secret/, /is outside/, /which a rule does not allow/])
        expect(found.filter((each) => kind.test(each)).length, String(kind)).toBeGreaterThan(2)
    }),
  )

  test(
    'without the protection of a cell: settings and hooks that changed',
    inTrace(async () => {
      await using lane = new Lane(unprotected)
      const traced = await lane.run('echo evil >> .git/hooks/pre-commit; rm offshoot.jsonc; mv .git g; ls')
      expect(escapes(lane, traced)).toEqual(
        expect.arrayContaining([
          expect.stringContaining('it changed what is protected'),
          '.git/hooks/pre-commit is not what it was',
          'offshoot.jsonc is not what it was',
        ]),
      )
    }),
  )

  test.each([
    ['env A=1 cat README.md', /it started cat, which the rules have not seen/],
    ["find src -name 'a*' -exec touch {} +", /it started touch, which the rules have not seen/],
    ["sh -c 'touch new'", /it started touch, which the rules have not seen/],
  ])('with rules that do not look into %s', async (command, why) => {
    await inTrace(async () => {
      await using lane = new Lane()
      const setting = SETTINGS[0]!
      const { decision, survey } = decideCommand(lane, setting, command)
      const outer = { ...survey, commands: survey.commands.slice(0, 1) }
      expect(decision.action).toBe('allow')
      expect(await objections(lane, setting, command, { decision, survey })).toEqual([])
      expect((await objections(lane, setting, command, { decision, survey: outer })).join('\n')).toMatch(why)
    })()
  })

  test(
    'a connection that leaves the cell, and a write outside of it',
    inTrace(async () => {
      await using lane = new Lane()
      const port = between(randomOf(SEED), 1, 9)
      const deed = { argv: [], by: [['bash']], line: 'line' }
      const deeds = [
        { ...deed, kind: 'connect', what: '192.0.2.1' },
        { ...deed, kind: 'connect', what: '127.0.0.1' },
        { ...deed, kind: 'write', what: `/etc/hosts${port}` },
        { ...deed, kind: 'write', what: '/tmp/x' },
      ] as const
      expect(escapes(lane, { deeds, changed: [] })).toEqual([
        'it connected to 192.0.2.1: line',
        `it wrote /etc/hosts${port}: line`,
      ])
    }),
  )
})

/** A cell as it would be if nothing in the workspace were protected. */
function unprotected(places: CellPlaces): Start {
  const nothing = { readOnly: [], pinned: [], repositories: [], appeared: () => [], moveAway: () => [] }
  const marks = { OFFSHOOT_OWNER: 'own_x', OFFSHOOT_RUN_ID: 'run_x' }
  const started = startCell({ bubblewrap: BUBBLEWRAP, layout: layoutOf(places, nothing), marks })
  return {
    run: async (options) => {
      const cell = await started
      return await runProcess({ ...options, start: (start) => cell.start(start) })
    },
    close: async () => await (await started).end(),
  }
}

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildContext, contextPath, type ContextMessage } from './build-context.ts'
import { planCompaction } from './compaction-plan.ts'
import {
  call,
  file,
  NOT_RUN,
  notice,
  result,
  see,
  shownPart,
  signedThought,
  text,
  thought,
  Tree,
} from './fixtures/tree.ts'
import type { BranchId, CallId, MessageId } from './ids.ts'
import type { Message, MessageState, Part, Role } from './message.ts'

/** What providers refuse, said without a look at how contexts are made. Empty: they accept it. */
function refusals(context: readonly ContextMessage[]): string[] {
  const problems: string[] = []
  const roles = context.map(({ role }) => role)
  if (
    roles.lastIndexOf('system') >=
      Math.max(
        0,
        roles.findIndex((role) => role !== 'system'),
      ) &&
    roles.some((role) => role !== 'system')
  ) {
    problems.push('system text behind other messages')
  }
  const answered = new Set<CallId>()
  context.forEach(({ role, parts }, at) => {
    const where = `message ${at} (${role})`
    if (parts.length === 0) problems.push(`${where} is empty`)
    for (const part of parts) {
      if (part.type === 'notice') problems.push(`${where} holds a notice`)
      if (part.type === 'tool-call' && role !== 'assistant') problems.push(`${where} holds a call`)
      if (part.type === 'tool-result' && role !== 'tool') problems.push(`${where} holds a result`)
      if (part.type !== 'tool-result' && role === 'tool') problems.push(`${where} holds a ${part.type}`)
      if ((part.type === 'text' || part.type === 'reasoning') && !part.metadata && !/\S/.test(part.text)) {
        problems.push(`${where} holds blank text`)
      }
    }
    if (parts.at(-1)?.type === 'reasoning') problems.push(`${where} ends with reasoning`)
    const calls = callsOf(parts)
    const results = resultsOf(role === 'tool' ? parts : [])
    if (role === 'assistant' && calls.length > 0) {
      const next = context[at + 1]
      const answers = next?.role === 'tool' ? resultsOf(next.parts) : []
      if (answers.join() !== calls.join())
        problems.push(`${where}: calls ${calls.join()} are answered by ${answers.join()}`)
    }
    for (const id of results) {
      if (answered.has(id)) problems.push(`${where} answers ${id} once more`)
      answered.add(id)
    }
    const before = context[at - 1]
    if (role === 'tool' && (before?.role !== 'assistant' || callsOf(before.parts).length === 0)) {
      problems.push(`${where} answers nothing`)
    }
  })
  return problems
}

const callsOf = (parts: readonly Part[]) =>
  parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))
const resultsOf = (parts: readonly Part[]) =>
  parts.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : []))

/** The contract of `buildContext`, sentence by sentence and by recursion, straight to the strings of `shown`. */
function oracle(tree: Tree, branch: BranchId): string[] {
  const path = seenFrom(tree, branch, [])
  const usable = path.filter(({ role, state }) => role === 'tool' || state === 'complete')
  const lines: string[] = []
  for (const message of usable) {
    if (message.role === 'tool') continue
    const kept = message.parts.filter((part) => keeps(message.role, part))
    while (kept.at(-1)?.type === 'reasoning') kept.pop()
    if (kept.length === 0) continue
    const line = [message.role, ...kept.map(shownPart)].join(' ')
    if (message.role !== 'system') lines.push(line)
    const calls = callsOf(kept)
    if (calls.length > 0)
      lines.push(['tool', ...calls.map((id) => `result(${id}:${outcome(usable, id)})`)].join(' '))
  }
  return [...systemLines(usable), ...lines]
}

/** The context of the parent up to and including the origin, then the branch's own messages. */
function seenFrom(tree: Tree, id: BranchId, above: readonly BranchId[]): Message[] {
  const branch = tree.branches.get(id)
  if (!branch || above.includes(id)) return []
  const own = [...tree.messages(id)]
  if (!branch.inheritContext || branch.parentBranchId === null) return own
  const inherited = seenFrom(tree, branch.parentBranchId, [...above, id])
  while (inherited.length > 0 && inherited.at(-1)!.id !== branch.originMessageId) inherited.pop()
  return [...inherited, ...own]
}

function outcome(path: readonly Message[], id: CallId): string {
  const outputs = path.flatMap(({ role, parts }) =>
    parts.flatMap((part) =>
      role === 'tool' && part.type === 'tool-result' && part.callId === id ? [part.output.text] : [],
    ),
  )
  return outputs.at(-1) ?? NOT_RUN
}

function systemLines(path: readonly Message[]): string[] {
  const lines = path.flatMap((message) => {
    const kept = message.role === 'system' ? message.parts.filter((part) => keeps('system', part)) : []
    return kept.length > 0
      ? [{ branch: message.branchId, line: ['system', ...kept.map(shownPart)].join(' ') }]
      : []
  })
  const nearest = lines.at(-1)?.branch
  return lines.filter(({ branch }) => branch === nearest).map(({ line }) => line)
}

function keeps(role: Role, part: Part): boolean {
  if (part.type === 'notice' || part.type === 'tool-result') return false
  if (part.type === 'tool-call') return role === 'assistant'
  if (part.type === 'file' || part.type === 'report') return true
  return /\S/.test(part.text) || part.metadata !== undefined
}

/** One thing that happens to a tree. Numbers choose among what is there when it happens. */
type Happening =
  | {
      readonly type: 'say'
      readonly on: number
      readonly role: 'system' | 'user'
      readonly parts: readonly Part[]
      readonly state: MessageState
    }
  | {
      readonly type: 'answer'
      readonly on: number
      readonly parts: readonly (Part | 'call')[]
      readonly state: MessageState
    }
  | {
      readonly type: 'results'
      readonly on: number
      readonly picks: readonly number[]
      readonly state: MessageState
    }
  | {
      readonly type: 'branch'
      readonly from: number
      readonly at: number
      readonly inherit: boolean
      readonly damage: Damage
    }
/** `above`: the origin stands on what the parent inherits. */
type Damage = 'none' | 'above' | 'no parent' | 'no origin' | 'foreign origin' | 'cycle'

const words = fc.constantFrom('', ' \n', 'a', 'b', 'c')
const prose = fc.oneof(words.map(text), words.map(notice), fc.constant(file()))
const states = fc.constantFrom<MessageState[]>('complete', 'complete', 'complete', 'interrupted', 'streaming')
const answerPart = fc.oneof(
  prose,
  words.map(thought),
  words.map(signedThought),
  fc.constant('call' as const),
  fc.constant('call' as const),
)
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('say' as const),
      on: fc.nat(99),
      role: fc.constantFrom('user' as const, 'user' as const, 'system' as const),
      parts: fc.array(prose, { maxLength: 3 }),
      state: states,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('answer' as const),
      on: fc.nat(99),
      parts: fc.array(answerPart, { maxLength: 5 }),
      state: states,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('results' as const),
      on: fc.nat(99),
      picks: fc.array(fc.nat(99), { maxLength: 4 }),
      state: states,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('branch' as const),
      from: fc.nat(99),
      at: fc.nat(99),
      inherit: fc.constantFrom(true, true, true, false),
      damage: fc.constantFrom<Damage[]>(
        'none',
        'none',
        'none',
        'none',
        'above',
        'no parent',
        'no origin',
        'foreign origin',
        'cycle',
      ),
    }),
  },
)
const histories = fc.array(happening, { minLength: 1, maxLength: 40 })

function grow(history: readonly Happening[]): Tree {
  const tree = new Tree().branch('b0')
  history.forEach((what, at) => {
    const names = [...tree.branches.keys()]
    const on = names[(what.type === 'branch' ? what.from : what.on) % names.length]!
    const id = `m${at}`
    switch (what.type) {
      case 'say':
        return tree.say(on, id, what.role, what.parts, what.state)
      case 'answer':
        return tree.say(
          on,
          id,
          'assistant',
          what.parts.map((part, i) => (part === 'call' ? call(`c${at}.${i}`) : part)),
          what.state,
        )
      case 'results':
        return tree.say(on, id, 'tool', pickResults(tree, on, what.picks), what.state)
      case 'branch':
        return addBranch(tree, on, `b${names.length}`, what)
    }
  })
  return tree
}

/** Results for some of the calls that this branch sees; now and then for one that it does not see. */
function pickResults(tree: Tree, on: BranchId, picks: readonly number[]): Part[] {
  const near = callsOf(seenFrom(tree, on, []).flatMap(({ parts }) => parts))
  const anywhere = callsOf([...tree.all.values()].flat().flatMap(({ parts }) => parts))
  const chosen = picks.flatMap(
    (pick) => (pick % 10 === 0 ? anywhere : near.toReversed())[Math.floor(pick / 10) % 4] ?? [],
  )
  return [...new Set(chosen)].map(result)
}

function addBranch(tree: Tree, on: BranchId, name: string, what: Happening & { type: 'branch' }): Tree {
  const own = tree.messages(on)
  const path = seenFrom(tree, on, [])
  const inherit = what.inherit
  const origin = own[what.at % Math.max(1, own.length)]?.id ?? null
  switch (what.damage) {
    case 'none':
      return tree.branch(name, { parent: on, origin, inherit })
    case 'above':
      return tree.branch(name, {
        parent: on,
        origin: path[what.at % Math.max(1, path.length)]?.id ?? null,
        inherit,
      })
    case 'no parent':
      return tree.branch(name, { parent: 'nowhere', origin, inherit })
    case 'no origin':
      return tree.branch(name, { parent: on, origin: null, inherit })
    case 'foreign origin':
      return tree.branch(name, { parent: on, origin: 'nothing', inherit })
    case 'cycle':
      tree.branch(name, { parent: on, origin, inherit })
      return tree.branch('b0', { parent: name, origin: 'm0', inherit })
  }
}

describe('on random trees', () => {
  const everyBranch = (check: (tree: Tree, branch: BranchId) => void) =>
    fc.assert(
      fc.property(histories, (history) => {
        const tree = grow(history)
        for (const branch of tree.branches.keys()) check(tree, branch)
      }),
      { numRuns: 1000 },
    )

  test('a context is one that providers accept', () => {
    everyBranch((tree, branch) => {
      expect(refusals(buildContext(tree, branch))).toEqual([])
    })
  })

  test('a context is what the recursive definition says', () => {
    everyBranch((tree, branch) => {
      expect(see(tree, branch)).toEqual(oracle(tree, branch))
    })
  })

  test('no context holds text that was cut', () => {
    everyBranch((tree, branch) => {
      const cut = new Set(
        seenFrom(tree, branch, [])
          .filter(({ role, state }) => role !== 'tool' && state !== 'complete')
          .flatMap(({ parts }) => callsOf(parts)),
      )
      expect(
        callsOf(buildContext(tree, branch).flatMap(({ parts }) => parts)).filter((id) => cut.has(id)),
      ).toEqual([])
    })
  })

  test('what is said later on other branches changes no context', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const tree = grow(history.filter(({ type }) => type === 'branch' || type === 'answer'))
        const before = [...tree.branches.keys()].map((branch) => see(tree, branch))
        tree.branch('later', { parent: 'b0', origin: tree.messages('b0' as BranchId).at(-1)?.id ?? null })
        tree.say('later', 'late', 'user', [text('late')])
        expect([...tree.branches.keys()].slice(0, -1).map((branch) => see(tree, branch))).toEqual(before)
      }),
    )
  })
})

describe('on random trees with summaries at random places', () => {
  const summaries = fc.array(fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99)), { minLength: 1, maxLength: 6 })
  const everyTree = (check: (tree: Tree, branch: BranchId) => void) =>
    fc.assert(
      fc.property(histories, summaries, (history, places) => {
        const tree = grow(history)
        places.forEach((place, i) => addSummary(tree, place, `s${i}`))
        for (const branch of tree.branches.keys()) check(tree, branch)
      }),
      { numRuns: 1000 },
    )

  test('a context is one that providers accept', () => {
    everyTree((tree, branch) => expect(refusals(buildContext(tree, branch))).toEqual([]))
  })

  test('nothing that was said after the last summary is lost, and a call that is left has its result', () => {
    everyTree((tree, branch) => {
      const path = seenFrom(tree, branch, [])
      const last = path.findLastIndex((message) => message.parts.some((part) => 'summaryOf' in part))
      const whole = oracle(tree, branch)
      for (const line of see(tree, branch)) expect(whole).toContain(line)
      const later = path.slice(last + 1).filter(({ role, state }) => role === 'user' && state === 'complete')
      const shown = see(tree, branch).filter((line) => line.startsWith('user'))
      const said = later.map(({ parts }) =>
        ['user', ...parts.filter((part) => keeps('user', part)).map(shownPart)].join(' '),
      )
      for (const line of said.filter((each) => each !== 'user')) expect(shown).toContain(line)
    })
  })

  test('what is planned leaves out whole turns, keeps the last one, and can be planned again', () => {
    everyTree((tree, branch) => {
      for (const keep of [0, 3, 1_000]) {
        const path = contextPath(tree, branch)
        const plan = planCompaction(path, keep, (message) => message.parts.length)
        if (!plan) continue
        const before = buildContext(tree, branch)
        const after = [...path, summary(branch, plan.summaryOf)]
        const context = buildContext(
          {
            ...tree,
            branches: tree.branches,
            messages: (id) => (id === branch ? alone(tree, branch, after) : tree.messages(id)),
          },
          branch,
        )
        expect(refusals(context)).toEqual([])
        expect(plan.count).toBeGreaterThan(0)
        expect(path[path.findLastIndex(({ id }) => id === plan.summaryOf) + 1]?.role).not.toBe('tool')
        const answer = before.findLast(({ role }) => role === 'assistant')
        if (answer?.parts.some(({ type }) => type === 'text' || type === 'tool-call'))
          expect(context.at(-1)).toEqual(before.at(-1))
      }
    })
  })
})

/** A summary of what is seen from a branch up to some message of it, or up to one that is not there. */
function addSummary(tree: Tree, [on, upTo, odd]: readonly [number, number, number], id: string): void {
  const names = [...tree.branches.keys()]
  const branch = names[on % names.length]!
  const path = seenFrom(tree, branch, [])
  const end = path[upTo % (path.length + 1)]?.id ?? ('nothing' as MessageId)
  tree.say(branch, id, odd % 9 === 0 ? 'assistant' : 'user', summary(branch, end).parts)
}

function summary(branchId: BranchId, summaryOf: MessageId): Message {
  const part = { ...text('summary'), summaryOf } as Part
  const about = { runId: null, usage: null, createdAt: 0, position: 999 }
  return { id: 'summary' as MessageId, branchId, role: 'user', state: 'complete', parts: [part], ...about }
}

/** The own messages of a branch whose whole path is this. */
function alone(tree: Tree, branch: BranchId, path: readonly Message[]): readonly Message[] {
  const own = tree.messages(branch)
  return [...own, path.at(-1)!]
}

test('the random trees hold what they are meant to hold', () => {
  const found = new Set<string>()
  for (const history of fc.sample(histories, { numRuns: 300, seed: 1 })) {
    const tree = grow(history)
    for (const branch of tree.branches.values()) {
      const parent = branch.parentBranchId && tree.branches.get(branch.parentBranchId)
      const origin = parent && tree.messages(parent.id).find(({ id }) => id === branch.originMessageId)
      if (branch.inheritContext && parent && parent.inheritContext) found.add('fork of a fork')
      if (branch.inheritContext && parent && parent.kind === 'subagent') found.add('fork inside a subagent')
      if (branch.inheritContext && origin && callsOf(origin.parts).length > 1)
        found.add('origin before its results')
      if (branch.inheritContext && origin && resultsOf(origin.parts).length > 0)
        found.add('origin at some results')
    }
    const lines = [...tree.branches.keys()].flatMap((branch) => see(tree, branch))
    if (lines.some((line) => line.includes(NOT_RUN) && line.includes('found')))
      found.add('a batch half answered')
  }
  expect([...found].toSorted()).toEqual([
    'a batch half answered',
    'fork inside a subagent',
    'fork of a fork',
    'origin at some results',
    'origin before its results',
  ])
})

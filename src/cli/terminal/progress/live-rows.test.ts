import { agentIcons } from './agent-icons.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../../test/support/any-character.ts'
import { Story, runId } from './fixtures/story.ts'
import { groupsOf } from './turn-groups.ts'
import { closingRows, groupRows, liveRows } from './live-rows.ts'
import { widthOf } from './text-width.ts'

const NOBODY: ReadonlySet<never> = new Set()

describe('what goes on', () => {
  it('is the main agent alone at first', () => {
    const story = new Story().after(2)
    expect(live(story)).toEqual(['◐ main — Thinking · 2s'])
    story.acts('main', 'Read src/auth.ts', 3).after(63)
    expect(live(story)).toEqual(['◐ main — Read src/auth.ts · 1m05s · 3 tools'])
    expect(live(story.writes('main'))).toEqual(['◐ main — Writing · 1m05s · 3 tools'])
  })

  it('is the children of a turn under one header, each with what it does, its time and its tools', () => {
    expect(live(threeAtWork())).toEqual([
      '● 2 subagents at work · 1 queued · 12s',
      '  ◐ explore    map the routes — Search for "router" in src · 12s · 4 tools',
      '  ◐ review     check JWT expiry — Thinking · 12s',
      '  ⧗ explore    list the tests — Queued (number 1 of 1)',
    ])
  })

  it('is told in the past tense where it has ended, with time, tools, cost, and what came of it', () => {
    const story = threeAtWork()
      .completes('routes', 'Mapped four entry points. And more.', { toolCalls: 14, costUsd: 0.042 })
      .starts('tests')
      .after(3.4)
      .fails('jwt', 'the model answered 500')
      .after(100)
      .acts('tests', 'Glob **/*.test.ts')
    expect(live(story, 100)).toEqual([
      '● 1 subagent at work · 1 done · 1 failed · 1m55s',
      '  ✓ explore    map the routes — done in 12s · 14 tools · $0.042: Mapped four entry points.',
      '  ✗ review     check JWT expiry — failed after 15s · 3 tools · cost unknown: the model answered 500',
      '  ◐ explore    list the tests — Glob **/*.test.ts · 1m43s · 1 tool',
    ])
  })

  it('has a word for each way to stop, beside the mark', () => {
    const story = new Story().starts('a').starts('b').starts('c').waits('main', 'children', '3 subagents')
    story.after(2).cancels('a').pauses('b', 'limit')
    expect(live(story)).toEqual([
      '● 1 explore subagent at work · 1 cancelled · 1 paused · 2s',
      '  ⊘ explore    a — cancelled after 2.0s · 1 tool · <$0.001',
      '  ⏸ explore    b — paused (limit: max turns) after 2.0s · 2 tools · $0.250',
      '  ◐ explore    c — Thinking · 2s',
    ])
  })

  it('quotes what an agent said before it was stopped', () => {
    const story = new Story().starts('a').starts('c').after(2).pauses('a', 'limit', 'half of the cou')
    expect(live(story, 120)[1]).toMatch(/paused \(limit: max turns\) after 2\.0s · .* · “half of the cou”$/)
  })

  it('begins with who needs a person, and says how to answer from elsewhere', () => {
    const story = threeAtWork().asks('jwt', '$ npm test').waits('jwt', 'approval', '$ npm test').after(180)
    expect(live(story)).toEqual([
      '● 2 subagents at work · 1 needs you · 1 queued · 3m12s',
      '  ⚑ review     check JWT expiry — Waiting for you: $ npm test · waiting 3m00s',
      '    offshoot approve apr_jwt',
      '  ◐ explore    map the routes — Search for "router" in src · 3m12s · 4 tools',
      '  ⧗ explore    list the tests — Queued (number 1 of 1)',
    ])
    expect(live(story.answers('jwt').resumes('jwt'))[1]).toContain('map the routes')
  })

  it('counts the questions of one run, whatever else it waits for', () => {
    const story = new Story()
      .starts('a')
      .starts('b', { depth: 2, parent: 'a' })
      .waits('a', 'children', '1 subagent')
    story.asks('a', 'first', '1').asks('a', 'second', '2').after(1)
    expect(live(story)[1]).toBe('  ⚑ explore    a — Waiting for you: first (1 of 2) · waiting 1s')
    expect(live(story.answers('a', '1'))[1]).toBe('  ⚑ explore    a — Waiting for you: second · waiting 1s')
  })

  it('shows the main agent first when it is the one that asks, last when it works beside its subagents', () => {
    const story = new Story().starts('a', { background: true }).acts('main', 'Read a.ts').after(1)
    expect(live(story)).toEqual([
      '● 1 explore subagent at work in the background · 1s',
      '  ◐ explore    a — Thinking · 1s',
      '◐ main — Read a.ts · 1s · 1 tool',
    ])
    story.asks('main', '$ git push').waits('main', 'approval', '$ git push')
    expect(live(story).slice(0, 3)).toEqual([
      '⚑ main — Waiting for you: $ git push · waiting 0s',
      '  offshoot approve apr_main',
      '● 1 explore subagent at work in the background · 1s',
    ])
  })

  it('says of a parent how many subagents are left, of a pause that it is on its way, and what happens now', () => {
    const story = new Story().starts('a').waits('main', 'children', '1 subagent').after(1)
    for (const name of ['b', 'c', 'd']) story.starts(name, { depth: 2, parent: 'a' })
    story.waits('a', 'children', '3 subagents').cancels('b').cancels('c').acts('d', '$ make').after(1)
    const row = (name: string) => live(story).find((text) => text.includes(` ${name} — `))
    expect(row('a')).toBe('  ◌ explore    a — Waiting for 1 of 3 subagents: 2 cancelled · 2s')
    expect(row('d')).toBe('    ◐ explore    d — $ make · 1s · 1 tool')
    story.pausing('d', 'user')
    expect(row('d')).toBe('    ◐ explore    d — Pausing: asked by you; first: $ make · 1s')
    expect((story.pausing('d', null), row('d'))).toBe('    ◐ explore    d — $ make · 1s')
    expect((story.writes('d'), row('d'))).toBe('    ◐ explore    d — Writing · 1s')
  })

  it('gives those that are told no place in the queue the last one', () => {
    const story = new Story().queues('x', 1).queues('y').queues('z')
    const rows = live(story).filter((text) => text.includes('Queued'))
    expect(rows.map((text) => /Queued \(.*\)/.exec(text)![0])).toEqual(
      [1, 2, 3].map((place) => `Queued (number ${place} of 3)`),
    )
  })

  it('leaves out the main agent while it waits for the subagents that are shown', () => {
    const story = new Story().starts('a').waits('main', 'children', '1 subagent')
    expect(live(story).map((text) => text.trim().slice(0, 1))).toEqual(['●', '◐'])
    story.completes('a', '').resumes('main')
    expect(live(story).at(-1)).toBe('◐ main — Thinking · 0s')
  })

  it('shows depth by indent, and deeper than that by a number', () => {
    const story = new Story().starts('a').waits('a', 'children', '1 subagent')
    story.starts('b', { depth: 2, parent: 'a' }).starts('c', { depth: 3, parent: 'b' })
    story.starts('d', { depth: 4, parent: 'c' }).starts('e')
    expect(live(story)).toEqual([
      '● 2 explore subagents at work · 0s',
      '  ◌ explore    a — Waiting for 1 subagent · 0s',
      '    ◐ explore    b — Thinking · 0s',
      '      ◐ explore    c — Thinking · 0s',
      '      4 ◐ explore    d — Thinking · 0s',
      '  ◐ explore    e — Thinking · 0s',
      '◐ main — Thinking · 0s',
    ])
  })

  it('of many children shows those that matter, and says what it leaves out', () => {
    const story = new Story()
    for (let n = 1; n <= 4; n++) story.starts(`r${n}`)
    for (let n = 1; n <= 9; n++) story.queues(`q${n}`, n)
    story.waits('main', 'children', '13 subagents').completes('r1', 'Ok.').fails('r2', 'no')
    expect(live(story, 80, 12)).toEqual([
      '● 2 explore subagents at work · 1 done · 1 failed · 9 queued · 0s',
      '  ✓ explore    r1 — done in 0.0s · 0 tools · $0: Ok.',
      '  ✗ explore    r2 — failed after 0.0s · 3 tools · cost unknown: no',
      '  ◐ explore    r3 — Thinking · 0s',
      '  ◐ explore    r4 — Thinking · 0s',
      '  ⧗ explore    q1 — Queued (number 1 of 9)',
      '  ⧗ explore    q2 — Queued (number 2 of 9)',
      '  ⧗ explore    q3 — Queued (number 3 of 9)',
      '  … and 6 more queued',
    ])
    expect(live(story, 80, 6)).toEqual([
      '● 2 explore subagents at work · 1 done · 1 failed · 9 queued · 0s',
      '  ✗ explore    r2 — failed after 0.0s · 3 tools · cost unknown: no',
      '  ◐ explore    r3 — Thinking · 0s',
      '  ◐ explore    r4 — Thinking · 0s',
      '  ⧗ explore    q1 — Queued (number 1 of 9)',
      '  … and 1 more done, 8 queued',
    ])
  })

  it('never takes more rows than it may', () => {
    const story = new Story()
    for (let n = 1; n <= 30; n++)
      story
        .starts(`r${n}`)
        .asks(`r${n}`, 'x')
        .endsTurn('main', Math.ceil(n / 3))
    for (const maxRows of [1, 2, 3, 5, 12]) {
      for (const columns of [20, 40, 80])
        expect(live(story, columns, maxRows).length).toBeLessThanOrEqual(maxRows)
    }
    expect(live(new Story().starts('a').starts('b'), 40, 3)).toEqual([
      '● 2 explore subagents at work · 0s',
      '  … and 2 more running',
      '◐ main',
    ])
  })

  it('says of subagents that all wait for a slot how many there are', () => {
    const story = new Story().queues('x', 1).queues('y', 2).waits('main', 'children', '2 subagents')
    expect(live(story)[0]).toBe('● 2 explore subagents · 2 queued · 0s')
  })

  it('gives the main agent, which needs no slot, no place in the line', () => {
    const story = new Story().starts('a').queues('x', 1).pauses('main', 'limit').queues('main')
    expect(live(story).slice(2)).toEqual(['  ⧗ explore    x — Queued (number 1 of 1)', '◐ main — Starting'])
  })

  it('gives nobody a number where other conversations wait for the same slot', () => {
    const story = new Story().starts('a').queues('x', 1).queues('y', 2).queuesInProcess('x', 1)
    const full = 'Queued: every slot of its process is taken'
    expect(live(story).slice(2, 4)).toEqual([`  ⧗ explore    x — ${full}`, `  ⧗ explore    y — ${full}`])
    expect(live(story.queues('z', 3)).slice(2, 4)).toEqual([
      '  ⧗ explore    x — Queued (number 1 of 3)',
      '  ⧗ explore    y — Queued (number 2 of 3)',
    ])
  })

  it('moves up everybody who waits behind one that begins', () => {
    const story = new Story().starts('a').queues('x', 1).queues('y', 2).queues('z', 3)
    story.cancels('y').starts('x').queues('head', 1)
    const position = (name: string) => story.tree.get(runId(name))!.position
    expect(['x', 'y', 'z', 'head'].map(position)).toEqual([0, 0, 2, 1])
  })
})

describe('at 40 columns', () => {
  it('a run stands on two rows: who, and below it what', () => {
    const story = threeAtWork().asks('jwt', '$ npm test -- --coverage --all').after(3)
    story.completes('routes', 'Mapped four entry points.', { toolCalls: 14, costUsd: 0.042 })
    expect(live(story, 40)).toEqual([
      '● 1 subagent at work · 1 needs you',
      '  ⚑ review check JWT expiry',
      '    Waiting for you: $ np… · waiting 3s',
      '    offshoot approve apr_jwt',
      '  ✓ explore map the routes',
      '    done in 15s · 14 tools · $0.042',
      '  ⧗ explore list the tests',
      '    Queued (number 1 of 1)',
    ])
  })

  it('an id that does not fit beside its command stands below it', () => {
    const story = new Story().starts('a').asks('a', 'x', '01M7Y6V6G7YC2TT5YX2MVC5JSH')
    expect(live(story, 40).slice(3, 5)).toEqual([
      '    offshoot approve',
      '    apr_01M7Y6V6G7YC2TT5YX2MVC5JSH',
    ])
  })
})

describe('what has settled', () => {
  it('are groups in which nothing goes on, once the turn that they belong to is over', () => {
    const story = new Story().starts('a').completes('a', 'Ok.')
    expect(settled(story)).toEqual([])
    expect(settled(story.endsTurn('main', 1))).toEqual([['a']])
    story.starts('b').starts('c', { depth: 2, parent: 'b' }).completes('b', '').endsTurn('main', 2)
    expect(settled(story)).toEqual([['a']])
    expect(settled(story.completes('c', ''))).toEqual([['a'], ['b']])
  })

  it('is shown in full, with what it came to as a whole', () => {
    const story = threeAtWork().starts('tests').after(6)
    story.completes('routes', 'Mapped them.', { toolCalls: 4, costUsd: 0.02 }).completes('jwt', '')
    story.completes('tests', 'Two files.', { toolCalls: 1, costUsd: 0.01 }).endsTurn('main', 1)
    expect(full(story)).toEqual([
      [
        '● 3 subagents finished in 18s · 5 tools · $0.030',
        '  ✓ explore    map the routes — done in 18s · 4 tools · $0.020: Mapped them.',
        '  ✓ review     check JWT expiry — done in 18s · 0 tools · $0',
        '  ✓ explore    list the tests — done in 6.0s · 1 tool · $0.010: Two files.',
      ],
    ])
  })

  it('does not call a group finished in which something went wrong', () => {
    const story = new Story()
      .starts('a')
      .starts('b')
      .after(1)
      .completes('a', '')
      .fails('b', 'x')
      .endsTurn('main', 1)
    expect(full(story)[0]![0]).toBe(
      '● 2 explore subagents ended in 1.0s · 1 done, 1 failed · 3 tools · cost unknown',
    )
  })

  it('closes with the whole, the cost of every run once', () => {
    const story = new Story().after(2).completes('main', 'Answer.', { toolCalls: 3, costUsd: 0.1 })
    expect(closing(story)).toEqual(['✓ main — done in 2.0s · 3 tools · $0.100'])
    story.starts('a', { depth: 1 }).completes('a', 'x', { toolCalls: 4, costUsd: 0.02 })
    expect(closing(story)).toEqual(['✓ main — done in 2.0s · 7 tools · $0.120 in all'])
  })

  it('counts the turns of a main agent that was woken as one', () => {
    const story = new Story().after(2).completes('main', 'First.', { toolCalls: 1, costUsd: 0.1 })
    story.after(5).starts('main2', { agent: 'main', description: 'main', depth: 0, parent: null })
    story.after(1).completes('main2', 'Second.', { toolCalls: 1, costUsd: 0.1 })
    expect(closing(story)).toEqual(['✓ main — done in 8.0s · 2 tools · $0.200'])
  })
})

describe('text of models and files', () => {
  it('is never wider than the terminal and never a command to it, at any width', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 60 })
    const wide = fc.constantFrom(
      '測試用的很長的任務名稱',
      '👨‍👩‍👧👍🏽🇩🇪',
      'e\u0301'.repeat(50),
      '\u3164\u202e\u001b[2J\n\r',
    )
    fc.assert(
      fc.property(
        fc.array(fc.oneof(text, wide), { minLength: 5, maxLength: 5 }),
        fc.integer({ min: 4, max: 130 }),
        (texts, columns) => {
          const [agent, description, title, report, question] = texts as [
            string,
            string,
            string,
            string,
            string,
          ]
          const cast = { agent, description }
          const story = new Story()
            .starts('a', cast)
            .starts('b', cast)
            .starts('c', cast)
            .starts('d', { ...cast, depth: 5, parent: 'a' })
          story
            .acts('a', title)
            .asks('b', question)
            .completes('c', report)
            .fails('d', report)
            .waits('a', 'retry', title)
          const colourless = [...live(story, columns, 99), ...full(story, columns).flat()]
          expect(colourless.filter((row) => widthOf(row) >= columns)).toEqual([])
          expect(colourless.join('')).not.toMatch(
            /[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u,
          )
        },
      ),
    )
  })

  it('draws the icon of each agent before its name', () => {
    const story = threeAtWork()
    const iconOf = agentIcons([
      { name: 'explore', icon: '🔍' },
      { name: 'review', icon: '\u001b[2J' },
    ])
    const drawn = liveRows(story.tree, NOBODY, story.now, {
      colour: false,
      columns: 80,
      frame: 0,
      maxRows: 12,
      iconOf,
    })
    expect(drawn.find((row) => row.includes('map the routes'))).toMatch(/^ {2}\S 🔍 explore /)
    expect(drawn.find((row) => row.includes('check JWT'))).toMatch(/^ {2}\S ◆ {2}review /)
    expect(drawn.filter((row) => widthOf(row) >= 80)).toEqual([])
  })

  it('has colours only where they are wanted, and is the same without them', () => {
    const story = threeAtWork().asks('jwt', '$ npm test')
    const style = { columns: 80, frame: 0, maxRows: 12 }
    const coloured = liveRows(story.tree, NOBODY, story.now, { ...style, colour: true })
    expect(coloured[1]).toMatch(/^\u001b\[1m\u001b\[33m {2}⚑/)
    expect(coloured.map((row) => row.replace(/\u001b\[\d+m/g, ''))).toEqual(live(story))
  })
})

function threeAtWork(): Story {
  const story = new Story().starts('routes', { description: 'map the routes' })
  story.starts('jwt', { agent: 'review', description: 'check JWT expiry' })
  story.queues('tests', 1, { description: 'list the tests' }).waits('main', 'children', '3 subagents')
  return story.after(12).acts('routes', 'Search for "router" in src', 4)
}

function live({ tree, now }: Story, columns = 80, maxRows = 12): string[] {
  return liveRows(tree, NOBODY, now, { colour: false, columns, frame: 0, maxRows })
}

function settled({ tree }: Story): string[][] {
  const groups = groupsOf(tree, NOBODY).filter((group) => group.settled)
  return groups.map(({ nodes }) => nodes.map(({ run }) => run.description))
}

function full({ tree, now }: Story, columns = 80): string[][] {
  return groupsOf(tree, NOBODY).map((group) => groupRows(group, now, { colour: false, columns, frame: 0 }))
}

function closing({ tree, now }: Story): string[] {
  return closingRows(tree, now, { colour: false, columns: 80, frame: 0 })
}

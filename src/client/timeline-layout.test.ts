import { describe, expect, it } from 'vitest'
import type { OffshootEvent } from '../core/events.ts'
import type { RunId } from '../core/ids.ts'
import { noUsage } from '../core/usage.ts'
import { layout, type Layout } from './timeline-layout.ts'
import { reduceTimeline, type Timeline } from './timeline.ts'

const run = (id: string, more: object = {}) => ({
  runId: id,
  branchId: `brn_${id}`,
  parentRunId: null,
  depth: 0,
  agent: 'main',
  description: 'go',
  model: 'm',
  usage: {
    ...noUsage,
    input: 10,
    output: 5,
  },
  costUsd: 1,
  ...more,
})
const child = { parentRunId: 'run_1', depth: 1, agent: 'explore' }

/** `[at, type, status, more]` of run_1 and run_2. */
const story: readonly (readonly [number, string, object])[] = [
  [0, 'run.started', run('run_1', { status: 'running' })],
  [100, 'tool.started', { runId: 'run_1', callId: 'cal_1', title: 'general: look' }],
  [100, 'run.queued', run('run_2', { ...child, status: 'queued' })],
  [
    100,
    'run.waiting',
    run('run_1', { status: 'waiting', reason: 'children', waitingFor: { detail: 'one' } }),
  ],
  [150, 'run.started', run('run_2', { ...child, status: 'running' })],
  [200, 'tool.started', { runId: 'run_2', callId: 'cal_2', title: 'Read a' }],
  [210, 'tool.started', { runId: 'run_2', callId: 'cal_3', title: 'Read b' }],
  [220, 'tool.completed', { runId: 'run_2', callId: 'cal_2', title: 'Read a' }],
  [250, 'tool.failed', { runId: 'run_2', callId: 'cal_3', title: 'Read b' }],
  [300, 'approval.requested', { runId: 'run_2', title: 'npm test' }],
  [
    300,
    'run.waiting',
    run('run_2', { ...child, status: 'waiting', reason: 'approval', waitingFor: { detail: 'npm test' } }),
  ],
  [800, 'run.resumed', run('run_2', { ...child, status: 'running' })],
  [850, 'run.completed', run('run_2', { ...child, status: 'completed', costUsd: 3 })],
  [850, 'run.resumed', run('run_1', { status: 'running' })],
  [900, 'run.paused', run('run_1', { status: 'paused', reason: 'user' })],
]

const timelineOf = (count = story.length): Timeline =>
  story
    .slice(0, count)
    .map(([at, type, more], i) => ({ at, type, seq: i + 1, ...more }) as unknown as OffshootEvent)
    .reduce(reduceTimeline, new Map() as Timeline)

const spans = (timeline: Timeline, id: string) =>
  timeline.get(id as RunId)!.spans.map(({ kind, from, to, label }) => [kind, from, to, label])

describe('reduceTimeline', () => {
  it('says what each run did when', () => {
    const timeline = timelineOf()
    expect(spans(timeline, 'run_1')).toEqual([
      ['model', 0, 100, ''],
      ['children', 100, 850, 'one'],
      ['tool', 850, 900, ''],
      ['paused', 900, null, 'user'],
    ])
    expect(spans(timeline, 'run_2')).toEqual([
      ['queued', 100, 150, ''],
      ['model', 150, 200, ''],
      ['tool', 200, 250, 'Read a'],
      ['model', 250, 300, ''],
      ['person', 300, 800, 'npm test'],
      ['model', 800, 850, ''],
    ])
    const { marks } = timeline.get('run_2' as RunId)!
    expect(marks.map(({ kind, at }) => [kind, at])).toEqual([
      ['error', 250],
      ['approval', 300],
    ])
  })

  it('keeps the rest as it is', () => {
    const before = timelineOf(12)
    const live = { type: 'run.progress', runId: 'run_1', sub: 1 } as unknown as OffshootEvent
    expect(reduceTimeline(before, live)).toBe(before)
    expect(timelineOf().get('run_2' as RunId)!.marks).toEqual(before.get('run_2' as RunId)!.marks)
  })
})

const shape = ({ rows }: Layout) =>
  rows.map((row) => [
    row.runId,
    row.level,
    row.bar,
    row.segments.map(({ kind, x, width }) => [kind, x, width]),
  ])

describe('layout', () => {
  it('draws each run below the one that started it', () => {
    const drawn = layout(timelineOf(), { width: 1120, gutter: 220, now: 5_000 })
    expect(shape(drawn)).toEqual([
      [
        'run_1',
        0,
        { x: 220, width: 900 },
        [
          ['model', 220, 100],
          ['children', 320, 750],
          ['tool', 1070, 50],
        ],
      ],
      [
        'run_2',
        1,
        { x: 370, width: 700 },
        [
          ['queued', 320, 50],
          ['model', 370, 50],
          ['tool', 420, 50],
          ['model', 470, 50],
          ['person', 520, 500],
          ['model', 1020, 50],
        ],
      ],
    ])
    expect(drawn.rows[1]).toMatchObject({
      queuedMs: 50,
      durationMs: 700,
      busyMs: 200,
      personMs: 500,
      share: 0.75,
      costUsd: 3,
      marks: [{ x: 470 }, { x: 520 }],
    })
    expect(drawn.totals).toEqual({ runs: 2, inputTokens: 20, outputTokens: 10, costUsd: 4 })
    expect(drawn.ticks.map(({ afterMs, x }) => [afterMs, x]).slice(0, 3)).toEqual([
      [0, 220],
      [100, 320],
      [200, 420],
    ])
    expect(drawn.timeOf(drawn.xOf(321))).toBeCloseTo(321)
  })

  it('has times along a drawing whose idle time is narrowed', () => {
    const drawn = layout(timelineOf(), { width: 1120, gutter: 220, now: 5_000, compressIdle: true })
    expect(drawn.gaps.length).toBeGreaterThan(0)
    const shown = drawn.ticks.map(({ afterMs }) => afterMs)
    expect(shown.length).toBeGreaterThan(5)
    expect(shown).toEqual([...new Set(shown)].toSorted((a, b) => a - b))
    expect(shown.at(-1)).toBeGreaterThan(800)
    const far = drawn.ticks.slice(1).map(({ x }, i) => x - drawn.ticks[i]!.x)
    expect(Math.min(...far)).toBeGreaterThanOrEqual(40)
  })

  it('draws what goes on up to now, and a queued run without a bar', () => {
    const drawn = layout(timelineOf(4), { width: 420, gutter: 220, now: 200 })
    expect(shape(drawn)).toEqual([
      [
        'run_1',
        0,
        { x: 220, width: 200 },
        [
          ['model', 220, 100],
          ['children', 320, 100],
        ],
      ],
      ['run_2', 1, null, [['queued', 320, 100]]],
    ])
  })

  it('draws idle times short', () => {
    const options = { width: 1000, gutter: 0, now: 5_000, compressIdle: true }
    const { gaps, rows, xOf, timeOf } = layout(timelineOf(), options)
    // 100 to 150 and 300 to 800; in the other 350 ms something works: each is 7 ms wide
    const width = expect.closeTo((1000 * 7) / 364) as number
    expect(gaps).toEqual([
      { x: xOf(100), width, ms: 50 },
      { x: xOf(300), width, ms: 500 },
    ])
    expect(rows[1]!.segments.find(({ kind }) => kind === 'person')!.width).toEqual(width)
    for (const at of [0, 120, 300, 550, 800, 900]) expect(timeOf(xOf(at))).toBeCloseTo(at)
  })

  it('draws a part of it', () => {
    const view = { from: 600, to: 800 }
    const drawn = layout(timelineOf(), { width: 200, gutter: 0, now: 5_000, view })
    expect(shape(drawn)[0]).toEqual(['run_1', 0, { x: 0, width: 200 }, [['children', 0, 200]]])
    expect(drawn.rows[1]!.marks).toEqual([])
    expect(drawn.rows[1]!.durationMs).toBe(700)
  })

  it('stands a timeline without runs, and no room', () => {
    expect(layout(new Map(), { width: 500, now: 5 })).toMatchObject({
      rows: [],
      totals: { runs: 0, costUsd: 0 },
    })
    const { rows } = layout(timelineOf(), { width: 0, now: 5_000 })
    expect(rows.flatMap((row) => row.segments).every(({ x, width }) => x === 220 && width === 0)).toBe(true)
  })

  it('has no share where a price is not known', () => {
    const timeline = timelineOf()
    const id = 'run_2' as RunId
    const unknown = new Map(timeline).set(id, { ...timeline.get(id)!, costUsd: null })
    const { rows, totals } = layout(unknown, { width: 500, now: 5_000 })
    expect([totals.costUsd, ...rows.map(({ share }) => share)]).toEqual([null, null, null])
  })
})

import { describe, expect, it } from 'vitest'
import { Screen } from '../../../../test/support/screen.ts'
import type { Clock } from '../../../core/clock.ts'
import type { Io } from '../../io.ts'
import { START, Story } from './fixtures/story.ts'
import { createProgress } from './progress.ts'

describe('on a terminal', () => {
  it('draws at most ten times a second, and only what has changed', async () => {
    const { progress, story, terminal, tick } = stand()
    progress.notify(story.events)
    expect(terminal.writes).toEqual([])
    await tick(100)
    expect(terminal.writes).toEqual(['\r\x1b[0K◐ main — Thinking · 0s\n\x1b[0J'])
    for (let n = 0; n < 50; n++) progress.notify(new Story().acts('main', `Read ${n}`).events)
    await tick(100)
    expect(terminal.writes.length).toBe(2)
    await tick(40)
    expect(terminal.writes.length).toBe(2)
    await tick(2_000)
    expect(terminal.writes.length).toBeLessThanOrEqual(12) // the spinner and the seconds
  })

  it('leaves what has settled above, and at the end the whole tree, once', async () => {
    const { progress, terminal, tell, tick } = stand()
    await tell((story) => story.starts('a').starts('b').waits('main', 'children', '2 subagents'))
    await tell((story) => story.after(2).completes('a', 'Found it.', { toolCalls: 2 }).completes('b', ''))
    await tell((story) => story.resumes('main').endsTurn('main', 1))
    const group = [
      '● 2 explore subagents finished in 2.0s · 2 tools · $0',
      '  ✓ explore    a — done in 2.0s · 2 tools · $0: Found it.',
      '  ✓ explore    b — done in 2.0s · 0 tools · $0',
    ]
    expect(terminal.screen.visible).toEqual([...group, expect.stringMatching(/^. main — Thinking · /)])
    await tell((story) => story.after(1).completes('main', 'Answer.', { toolCalls: 2 }))
    progress.end()
    await tick(500)
    const closing = '✓ main — done in 3.0s · 4 tools · $0 in all'
    expect(terminal.screen.visible).toEqual([...group, closing])
    expect(terminal.screen.cursor).toEqual({ row: 4, column: 0 })
  })

  it('makes room for a question and comes back below it', async () => {
    const { progress, terminal, tell, tick } = stand()
    await tell((story) => story.starts('a').waits('main', 'children', '1 subagent'))
    const resume = progress.pause()
    terminal.write('⚑ main > a needs you: $ make\n')
    await tell((story) => story.acts('a', '$ make'))
    expect(terminal.screen.visible).toEqual(['⚑ main > a needs you: $ make'])
    resume()
    await tick(100)
    expect(terminal.screen.visible.slice(0, 2)).toEqual([
      '⚑ main > a needs you: $ make',
      '● 1 explore subagent at work · 0s',
    ])
  })

  it('is drawn anew where its width changes, with nothing lost and nothing twice', async () => {
    const { terminal, tell, tick } = stand()
    terminal.write('$ offshoot run hi\n')
    await tell((story) =>
      story.starts('a', { description: 'a task that has many words, so that it is long' }),
    )
    for (const columns of [40, 100, 61, 20, 80]) {
      terminal.columns = columns
      terminal.screen.resize(columns)
      await tick(100)
      const marks = terminal.screen.lines.map((row) => row.trim()[0]!.replace(/[◓◑◒]/, '◐')).join('')
      expect(marks).toBe(columns < 60 ? '$●◐T◐T' : '$●◐◐') // "Thinking" stands on a row of its own
    }
  })

  it('does not write over what others wrote while it was stopped', async () => {
    const { terminal, tell, tick, progress } = stand()
    await tell((story) => story.starts('a'))
    terminal.write('[1]+  Stopped\n$ fg\n')
    process.emit('SIGCONT')
    await tick(300)
    expect(terminal.screen.visible).toContain('$ fg')
    progress.end()
  })

  it('shows a run that goes on again, though it had settled', async () => {
    const { terminal, tell } = stand()
    await tell((story) => story.starts('a').pauses('a', 'user').endsTurn('main', 1))
    await tell((story) => story.starts('a'))
    expect(terminal.screen.visible.at(-2)).toContain('explore    a — Thinking')
  })
})

describe('line by line', () => {
  it('ends with the same line as on a terminal, and cuts a long one', () => {
    const { progress, story, terminal } = stand({ tty: false })
    story
      .starts('a')
      .acts('a', `Grep "${'x'.repeat(150)}"`)
      .completes('a', '', { toolCalls: 3 })
    story.after(3).completes('main', 'Answer.', { toolCalls: 2 })
    progress.notify(story.events)
    progress.end()
    const lines = terminal.writes.join('').trimEnd().split('\n')
    expect(lines.at(-1)).toBe('✓ main — done in 3.0s · 5 tools · $0 in all')
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(120)
  })

  it('says each change of state on a line of its own, and of what is done one a second', () => {
    const { progress, story, terminal } = stand({ tty: false })
    story
      .starts('a', { description: 'look' })
      .acts('a', 'Read 1')
      .acts('a', 'Read 2', 2)
      .after(2)
      .acts('a', 'Read 3', 3)
    story.asks('a', '$ make').waits('a', 'approval', '$ make').completes('a', 'Found it.', { toolCalls: 3 })
    progress.notify(story.events)
    progress.end()
    expect(terminal.writes.join('').split('\n')).toEqual([
      '◐ main — Thinking · 0s',
      '  ◐ explore    look — Thinking · 0s',
      '  ◐ explore    look — Read 1 · 0s · 1 tool',
      '  ◐ explore    look — Read 3 · 2s · 3 tools',
      '  ⚑ explore    look — Waiting for you: $ make · waiting 0s',
      '  ✓ explore    look — done in 2.0s · 3 tools · $0: Found it.',
      '',
    ])
  })

  it('says once that a run waits, however often the time changes until which it does', () => {
    const { progress, story, terminal } = stand({ tty: false })
    story.starts('a').waits('a', 'retry', 'anthropic is paused')
    for (let n = 0; n < 3; n++) story.after(5).waits('a', 'retry', 'anthropic is paused', 'waiting')
    progress.notify(story.events)
    expect(terminal.writes.slice(2)).toEqual([
      expect.stringContaining('Waiting for the provider: anthropic is paused'),
    ])
  })

  it('is how it speaks on a dumb terminal, and on one that something else is written to', () => {
    for (const options of [{ env: { TERM: 'dumb' } }, { sharesTerminal: true, env: { NO_COLOR: '1' } }]) {
      const { progress, story, terminal } = stand(options)
      progress.notify(story.events)
      expect(terminal.writes).toEqual(['◐ main — Thinking · 0s\n'])
    }
  })
})

describe('colours', () => {
  it('are for terminals, unless the environment says otherwise', async () => {
    const coloured = async (tty: boolean, env: Record<string, string>) => {
      const { progress, story, terminal } = stand({ tty, env: { NO_COLOR: '', ...env } })
      progress.notify(story.events)
      progress.end()
      return /\u001b\[\d+m/.test(terminal.writes.join(''))
    }
    expect(await coloured(true, {})).toBe(true)
    expect(await coloured(true, { NO_COLOR: '1' })).toBe(false)
    expect(await coloured(true, { TERM: 'dumb' })).toBe(false)
    expect(await coloured(true, { FORCE_COLOR: '0' })).toBe(false)
    expect(await coloured(false, {})).toBe(false)
    expect(await coloured(false, { FORCE_COLOR: '1' })).toBe(true)
    expect(await coloured(true, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false)
  })
})

interface Stand {
  readonly tty?: boolean
  readonly env?: Readonly<Record<string, string>>
  readonly sharesTerminal?: boolean
}

/** A progress display on a terminal of its own, and the story that it is told. */
function stand({ tty = true, env = { NO_COLOR: '1' }, sharesTerminal = false }: Stand = {}) {
  const terminal = new Terminal(tty)
  const clock = new TestClock()
  const progress = createProgress({ stderr: terminal, env } as unknown as Io, { sharesTerminal, clock })
  const story = new Story()
  let told = 0
  const tick = (ms: number) => clock.advance(ms)
  const tell = async (more: (story: Story) => void) => {
    more(story)
    progress.notify(story.events.slice(told))
    told = story.events.length
    await tick(100)
  }
  return { progress, story, terminal, tick, tell }
}

class Terminal {
  columns = 80
  readonly rows = 50
  readonly writes: string[] = []
  readonly screen = new Screen(80, 50)
  readonly isTTY: boolean

  constructor(isTTY: boolean) {
    this.isTTY = isTTY
  }

  write(text: string): void {
    this.writes.push(text)
    this.screen.write(text)
  }
}

class TestClock implements Clock {
  #now = START
  #timers: { readonly at: number; readonly fn: () => void }[] = []

  now(): number {
    return this.#now
  }

  after(ms: number, fn: () => void): () => void {
    const timer = { at: this.#now + ms, fn }
    this.#timers.push(timer)
    return () => void (this.#timers = this.#timers.filter((each) => each !== timer))
  }

  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0]
      if (!due) break
      this.#timers = this.#timers.filter((each) => each !== due)
      this.#now = due.at
      due.fn()
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#now = until
  }
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Screen } from '../../../../test/support/screen.ts'
import { reflows, repaint, replace, type Drawn } from './repaint.ts'

const WIDE = { columns: 80, reflows: true }

describe('repaint', () => {
  it('writes nothing where nothing has changed', () => {
    expect(repaint({ rows: ['a', 'b'], columns: 80 }, ['a', 'b'], WIDE)).toBe('')
    expect(repaint({ rows: [], columns: 0 }, [], { columns: 0, reflows: true })).toBe('')
  })

  it('writes the rows that have changed and no other', () => {
    const text = repaint({ rows: ['a', 'b', 'c', 'd'], columns: 80 }, ['a', 'B', 'c', 'D'], WIDE)
    expect(text).toBe('\r\x1b[3A\x1b[0KB\n\n\x1b[0KD\n')
  })

  it('grows and shrinks in place', () => {
    const screen = new Screen(80, 24)
    screen.write('$ offshoot run\n')
    let drawn: Drawn = { rows: [], columns: 80 }
    for (const rows of [['a'], ['a', 'b', 'c'], ['x'], ['x', 'y']]) {
      screen.write(repaint(drawn, rows, WIDE))
      drawn = { rows, columns: 80 }
      expect(screen.visible).toEqual(['$ offshoot run', ...rows])
    }
  })
})

describe('replace', () => {
  it('takes away what was typed below the picture', () => {
    const screen = new Screen(80, 24)
    screen.write(replace({ rows: [], columns: 80 }, ['a', 'b'], WIDE))
    screen.write('^C')
    screen.write(replace({ rows: ['a', 'b'], columns: 80 }, ['c'], WIDE))
    expect(screen.visible).toEqual(['c'])
  })

  it('goes up by the rows that were drawn where the terminal does not break them', () => {
    const rows = ['x'.repeat(79), 'y'.repeat(79)]
    expect(replace({ rows, columns: 80 }, [], { columns: 40, reflows: false })).toBe('\r\x1b[2A\x1b[0J')
    expect(replace({ rows, columns: 80 }, [], { columns: 40, reflows: true })).toBe('\r\x1b[4A\x1b[0J')
  })
})

describe('a picture on a terminal', () => {
  const text = fc.stringMatching(/^[ab行😀]{0,60}$/u)
  const move = fc.record({
    columns: fc.integer({ min: 20, max: 160 }),
    rows: fc.array(text, { maxLength: 8 }),
    above: fc.option(
      fc.array(
        text.filter((each) => each !== ''),
        { maxLength: 3 },
      ),
    ),
    redraws: fc.boolean(),
  })

  it('is neither lost nor doubled, nor what stands above it, however the width changes meanwhile', () => {
    fc.assert(
      fc.property(fc.array(move, { minLength: 1, maxLength: 12 }), (moves) => {
        const screen = new Screen(80, 500)
        const lines = ['$ a command that is rather long', 'its output']
        screen.write(lines.map((line) => `${line}\n`).join(''))
        let drawn: Drawn = { rows: [], columns: 80 }
        for (const { columns, rows, above, redraws } of moves) {
          screen.resize(columns)
          if (!redraws) continue
          const fitting = rows.map((row) => [...row].slice(0, Math.floor((columns - 1) / 2)).join(''))
          const now = { columns, reflows: true }
          screen.write(above ? replace(drawn, [...above, ...fitting], now) : repaint(drawn, fitting, now))
          lines.push(...(above ?? []))
          drawn = { rows: fitting, columns }
        }
        const all = [...lines, ...drawn.rows]
        while (all.at(-1) === '') all.pop()
        expect(screen.lines).toEqual(all)
      }),
    )
  })
})

describe('which terminals break rows', () => {
  it('is known from their environment', () => {
    expect(reflows({ TERM: 'xterm-256color' })).toBe(true)
    expect(reflows({})).toBe(true)
    expect(reflows({ TERM: 'xterm-256color', XTERM_VERSION: 'XTerm(390)' })).toBe(false)
    expect(reflows({ TERM: 'rxvt-unicode-256color' })).toBe(false)
    expect(reflows({ TERM: 'linux' })).toBe(false)
    expect(reflows({ TERM: 'screen' })).toBe(false)
    expect(reflows({ TERM: 'screen-256color', TMUX: '/tmp/tmux' })).toBe(true)
  })
})

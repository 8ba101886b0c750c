import { describe, expect, test } from 'vitest'
import { widthOf } from '../progress/text-width.ts'
import { GrowingMarkdown } from './growing-markdown.ts'
import { markdownLines, readBlocks, type MarkdownStyle } from './markdown-lines.ts'

const plain = (columns: number): MarkdownStyle => ({ columns, paint: (text) => text, clean: (text) => text })
const marked: MarkdownStyle = {
  clean: (text) => text,
  columns: 80,
  paint: (text, looks) => (looks.length > 0 ? `<${looks.join('+')}>${text}</>` : text),
}

function rendered(text: string, style = plain(40)): string[] {
  return new GrowingMarkdown().end(style, text).split('\n').slice(0, -1)
}

/** The same text in pieces of one size. */
function grown(text: string, size: number): string {
  const markdown = new GrowingMarkdown()
  let shown = ''
  for (let at = 0; at < text.length; at += size) shown += markdown.push(text.slice(at, at + size), plain(40))
  return shown + markdown.end(plain(40))
}

const ANSWER = `# The parsers

Both are **fast**, and *one* of them is small: \`src/parse.ts\`. It is
described [in the docs](https://example.com/a), see <https://example.com/b>.

- first
  goes on
- second
  1. inner
  2. other

  with a paragraph
- [x] done
- [ ] to do

> quoted text that is long enough to be broken
> > and deeper

\`\`\`ts
const a = 1

  return a
\`\`\`

| name | lines |
|---|---:|
| a | 1 |
| b *x* | 20 |

---

<b>raw</b> &lt;tag&gt; &#27;[2J <!-- seen -->

[note]: https://example.com/c
`

describe('Markdown on a terminal', () => {
  test('has a form for each block, wrapped at words', () => {
    expect(rendered(ANSWER)).toEqual([
      'The parsers',
      '',
      'Both are fast, and one of them is small:',
      'src/parse.ts. It is described in the',
      'docs (https://example.com/a), see',
      'https://example.com/b.',
      '',
      '• first goes on',
      '',
      '• second',
      '',
      '  1. inner',
      '  2. other',
      '',
      '  with a paragraph',
      '',
      '☑ done',
      '',
      '☐ to do',
      '',
      '│ quoted text that is long enough to be',
      '│ broken',
      '│',
      '│ │ and deeper',
      '',
      '    const a = 1',
      '',
      '      return a',
      '',
      'name  lines',
      '────  ─────',
      'a     1',
      'b x   20',
      '',
      '────────────────────',
      '',
      '<b>raw</b> <tag> ␛[2J <!-- seen -->',
      '',
      '[note]: https://example.com/c',
    ])
  })

  test('marks what stands out, word by word', () => {
    expect(rendered('# Two words\n\n**a *b*** ~~c~~ `d e`', marked)).toEqual([
      '<bold>Two</> <bold>words</>',
      '',
      '<bold>a</> <bold+italic>b</> <strikethrough>c</> <cyan>d</> <cyan>e</>',
    ])
  })

  test('a table that is too wide is a list of its cells', () => {
    const wide = `| name | about |\n|---|---|\n| a | ${'word '.repeat(12)}|\n| b | short |`
    expect(rendered(wide)).toEqual([
      'name: a',
      'about: word word word word word word',
      'word word word word word word',
      '',
      'name: b',
      'about: short',
    ])
  })

  test('no reference to a control character becomes one', () => {
    const refs = '&#27;[2J &#x1b;]0;a&#7; &#x9b;1m &#x202e;'
    const text = `# ${refs}\n\n[${refs}](http://a${refs.replaceAll(' ', '')} "${refs}") ![${refs}](b)\n\n- ${refs}\n\n> ${refs}\n\n| ${refs} |\n|---|\n| ${refs} |\n\n\`${refs}\`\n\n<b ${refs}>\n\n    ${refs}\n`
    for (const columns of [10, 200])
      expect(rendered(text, plain(columns)).join('\n')).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/u,
      )
  })

  test('no line is wider than the terminal but for a word that is', () => {
    const words = `測試 ${'words and 😀 pictures '.repeat(9)}`
    for (const columns of [20, 33, 80])
      for (const line of rendered(`- ${words}\n\n> ${words}`, plain(columns)))
        expect(widthOf(line)).toBeLessThanOrEqual(columns)
    expect(rendered(`a ${'x'.repeat(60)} b`)).toEqual(['a', 'x'.repeat(60), 'b'])
  })

  test.each([1, 2, 7, 64, 1_000])('in pieces of %d it is the same text', (size) => {
    expect(grown(ANSWER, size)).toBe(new GrowingMarkdown().end(plain(40), ANSWER))
  })

  test('a block is shown as soon as the next one starts', () => {
    const markdown = new GrowingMarkdown()
    expect(markdown.push('# A\n\nb', plain(40))).toBe('A\n')
    expect(markdown.push(' c\n', plain(40))).toBe('')
    expect(markdown.push('\n- d\n', plain(40))).toBe('\nb c\n')
    expect(markdown.end(plain(40))).toBe('\n• d\n')
  })

  test.each([
    ['quotes', '>'.repeat(50_000)],
    ['lists', Array.from({ length: 400 }, (_, i) => `${' '.repeat(i * 2)}- x`).join('\n')],
    ['backquotes', `${'`'.repeat(20_000)} x`],
    ['brackets', '['.repeat(20_000)],
    ['stars', '*a '.repeat(10_000)],
    ['one long block', 'word\n'.repeat(50_000)],
  ])('what is made to take for ever does not: %s', (_, text) => {
    const before = process.threadCpuUsage().user
    expect(grown(text, 997)).not.toBe('')
    expect((process.threadCpuUsage().user - before) / 1_000).toBeLessThan(10_000)
  })
})

test.each([
  'key: ghp\\_abc123',
  'key: ghp&#95;abc123',
  'key: **ghp**_abc123',
  '- key: ghp\\_abc123',
  '| a |\n|---|\n| ghp\\_abc123 |',
  '    ghp_abc123',
])('a secret that Markdown spells otherwise is masked where it is drawn: %s', (text) => {
  const clean = (drawn: string) => drawn.replaceAll('ghp_abc123', '•••')
  const drawn = markdownLines(readBlocks(text), { ...plain(80), clean }).join('\n')
  expect(drawn).toContain('•••')
  expect(drawn).not.toContain('abc123')
})

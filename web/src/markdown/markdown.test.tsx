import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { toBlocks } from './markdown-blocks.ts'
import { Markdown } from './markdown.tsx'

const html = (text: string) => renderToStaticMarkup(<Markdown text={text} />)

/** What is in the markup: its elements, and the attributes of all of them. */
function partsOf(markup: string) {
  const tags = [...markup.matchAll(/<([a-z][\w-]*)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*\/?>/gi)]
  const attributes = tags.flatMap((tag) => [...(tag[2] ?? '').matchAll(/([\w-]+)(?:="([^"]*)")?/g)])
  return { names: tags.map((tag) => tag[1]), attributes: attributes.map((each) => [each[1], each[2]]) }
}

const PAYLOADS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\nscript:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  '[x](vbscript:msgbox(1))',
  '[x](//evil.example)',
  '[x](/api/conversations)',
  '[x](blob:https://example.com/1)',
  '![x](javascript:alert(1))',
  '![x](https://evil.example/pixel.png)',
  '![x"onerror="alert(1)](y)',
  '[x](https://example.com/"onmouseover="alert(1))',
  '<https://example.com/"onclick=alert(1)>',
  '```"><img src=x onerror=alert(1)>\ncode\n```',
  '`<img src=x onerror=alert(1)>`',
  '| <img src=x onerror=alert(1)> |\n|---|\n| <script>alert(1)</script> |',
  '- [x] <img src=x onerror=alert(1)>',
  '> <object data="javascript:alert(1)">',
  '# <style>*{display:none}</style>',
  '&lt;img src=x onerror=alert(1)&gt;',
  '&#60;script&#62;alert(1)&#60;/script&#62;',
  '<!--><img src=x onerror=alert(1)>-->',
  '<details open ontoggle=alert(1)>',
  '<math><mtext></mtext><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '[a]: javascript:alert(1)\n\n[a]',
  '\u0000<script>alert(1)</script>',
  '<form action=/api/conversations method=post><button>x</button></form>',
]

describe('a text in Markdown', () => {
  it.each(PAYLOADS)('cannot become anything that runs, loads or posts: %j', (payload) => {
    const { names, attributes } = partsOf(html(payload))
    expect(names).not.toContain('script')
    for (const name of ['img', 'iframe', 'object', 'form', 'style', 'math', 'details'])
      expect(names).not.toContain(name)
    expect(attributes.filter(([name]) => /^on/i.test(name ?? ''))).toEqual([])
    const links = attributes.filter(([name]) => name === 'href').map(([, value]) => value)
    for (const link of links) expect(link).toMatch(/^(https?|mailto):/)
  })

  it('opens links elsewhere, and tells that place nothing', () => {
    expect(html('[x](https://example.com/a)')).toBe(
      '<p dir="auto"><a href="https://example.com/a" target="_blank" rel="noopener noreferrer">x</a></p>',
    )
  })

  it('shows markup as the text that it is', () => {
    expect(html('a <b>c</b> &amp; &lt;d&gt;')).toBe(
      '<p dir="auto">a &lt;b&gt;c&lt;/b&gt; &amp; &lt;d&gt;</p>',
    )
  })
})

describe('what a text says about how it is drawn', () => {
  it('aligns the columns of a table', () => {
    const { names, attributes } = partsOf(html('| a | b | c | d |\n|:--|:-:|--:|---|\n| 1 | 2 | 3 | 4 |'))
    expect(names.filter((name) => name === 'th' || name === 'td')).toHaveLength(8)
    const classes = attributes.flatMap(([name, value]) => (name === 'class' ? [value] : []))
    const row = ['text-left!', 'text-center!', 'text-right!']
    expect(classes.filter((each) => each?.startsWith('text-'))).toEqual([...row, ...row])
  })

  it.each(['שלום', '# שלום', '- שלום', '1. שלום', '> שלום', '| שלום |\n|---|\n| שלום |', '<b>שלום</b>'])(
    'is drawn in the direction of its own words: %s',
    (text) => {
      const { attributes } = partsOf(html(text))
      expect(attributes).toContainEqual(['dir', 'auto'])
    },
  )

  it('draws code from left to right', () => {
    expect(partsOf(html('```ts\nconst a = 1 // שלום\n```')).attributes).toContainEqual(['dir', 'ltr'])
  })
})

describe('the blocks of a growing text', () => {
  const text =
    '# Title\n\nOne *two*\nthree\n\n- a\n- b\n\n  more\n\n```ts\nconst a = 1\n\nconst b = 2\n```\n\n| a |\n|---|\n| b |\n\nEnd.'

  it('are those of the whole text, at every length', () => {
    let blocks = toBlocks('')
    for (let length = 1; length <= text.length; length++) {
      blocks = toBlocks(text.slice(0, length), blocks)
      expect(blocks.map(({ raw }) => raw)).toEqual(toBlocks(text.slice(0, length)).map(({ raw }) => raw))
    }
  })

  it('stay the same objects where nothing has changed', () => {
    const before = toBlocks('One.\n\nTwo.\n\nThree.\n\nFo')
    const after = toBlocks('One.\n\nTwo.\n\nThree.\n\nFour.', before)
    expect(after[0]).toBe(before[0])
    expect(after[2]).toBe(before[2])
  })
})

import { describe, expect, test } from 'vitest'
import { state } from '../core/run-status.ts'
import type { ExportDocument } from './document.ts'
import { countedIds } from './fixtures/conversations.ts'
import { documentOf, everything, withTexts } from './fixtures/everything.ts'
import { documentHtml, EXPORT_POLICY } from './html.ts'
import { documentMarkdown } from './markdown.ts'

/** Each becomes something else than text somewhere: in a text, in an attribute, in a title, a style, a comment, an url. */
const PAYLOADS = [
  '<img src=x onerror=hit()>',
  '"><svg onload=hit()>',
  "' onmouseover='hit()",
  '" style="background:url(https://pixel.example/a.png)" x="',
  '<script>hit()</script>',
  '</title></style></textarea></pre></details><iframe srcdoc="<script>parent.hit()</script>">',
  '<!--<base href=https://evil.example/>-->',
  ']]><?xml <a href=javascript:hit()>a</a>',
  '&lt;img src=x onerror=hit()&gt; &#60;script&#62;',
  'javascript:hit()',
  '[a](javascript:hit()) ![b](https://pixel.example/b.png)',
  '`<b onmouseover=hit()>` **<i onclick=hit()>**',
  '+<ins onclick=hit()>',
  '| <td onclick=hit()> |',
  '<a href=javascript:window.__pwned=1>x</a>',
  '[x](java\nscript:window.__pwned=1)',
  '<div style="background:url(http://198.51.100.7/x)">',
  '<a href="//evil.example">good.example</a>',
]

describe('what somebody wrote', () => {
  test.each(PAYLOADS)('is text in every field: %s', async (payload) => {
    const document = await everything()
    let count = 0
    const withPayload = (text: string) =>
      documentHtml(
        withTexts(document, (old, key) =>
          key === 'tool' && old === 'edit' ? old : `${MARK}${key}\n${text}${count++ % 1_000}\n`,
        ),
      )
    const [hostile, harmless] = [withPayload(payload), withPayload(harmlessly(payload))]
    expect(count).toBeGreaterThan(150)
    expect(tagsOf(hostile)).toEqual(tagsOf(harmless))
    expect(outsideOfTags(hostile)).not.toMatch(/[<>]/)
    expect(hostile).not.toContain('src="http')
  })

  test('takes no time, however it is nested', async () => {
    const document = await everything()
    const start = process.cpuUsage()
    const page = documentHtml(
      withTexts(document, (old, key) => (key === 'text' ? `${'`'.repeat(20_000)} x` : old)),
    )
    expect(page).toContain('`'.repeat(20_000))
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(2_000)
  })

  test('stands there, whichever field it is', async () => {
    const document = await everything()
    const fields = new Set<string>()
    const page = documentHtml(withTexts(document, (_, key) => (fields.add(key), `${MARK}${key}<`)))
    const shown = new Set([...page.matchAll(/qq(\w+)&lt;/g)].map((match) => match[1]!))
    expect([...fields].filter((field) => !shown.has(field) && !NOT_SHOWN.includes(field))).toEqual([])
  })

  test('shows control characters and those that turn the direction of writing', async () => {
    const document = await everything()
    const page = documentHtml(withTexts(document, () => 'a\u0000b\u001b[2Jc\u009bd\u202ee\u2066f\rg'))
    expect(page).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
    expect(page).toContain('a␀b␛[2Jc\ufffdd\ufffde\ufffdf␍g')
  })

  test('is no picture unless it is one that can only be looked at', async () => {
    const svg = { mediaType: 'image/svg+xml', data: 'PHN2Zy8+' }
    const odd = { mediaType: 'image/png', data: 'AA" onload="hit()' }
    const page = documentHtml(
      await documentOf((it) => {
        it.message(
          it.branches[0]!,
          'user',
          [svg, odd].map((file) => ({ ...it.text(''), type: 'file', file }) as never),
        )
      }),
    )
    expect(page).not.toContain('<img')
  })
})

test('a branch begins at the same message number as in Markdown, whatever is not shown before it', async () => {
  const document = await documentOf((it) => {
    const [main] = it.branches
    it.message(main!, 'system', [it.text('a system text')])
    it.message(main!, 'user', [it.text('Go.')])
    it.run(main!, state.completed)
    it.grow({ grow: 'call', on: 0, input: {}, asks: false, text: 'out' })
    it.branch('fork', main!, it.messages.at(-1)!.id, true)
  })
  const results = document.messages.findIndex(({ role }) => role === 'tool')
  expect(documentMarkdown(document)).toContain(`, from message ${results} of a main`)
  expect(documentHtml(document)).toMatch(new RegExp(`</a>: message ${results} of main,`))
})

const MARK = 'qq'
/** Told in another way, or of use to a program alone. */
const NOT_SHOWN = [
  'form',
  'sandbox',
  'force',
  'content',
  'task',
  'subagentId',
  'data',
  'code',
  'description',
  'before',
  'after',
  'hash',
  'contextFiles',
  'outputSchema',
]

/** As long, and with as many lines, blocks and words, but without a character that means anything. */
function harmlessly(text: string): string {
  return text.replace(/[<>&"']/g, 'x')
}

function tagsOf(page: string): string[] {
  return [...withoutStyle(page).matchAll(TAG)].map(([tag]) => tag.replace(/="[^"]*"/g, ''))
}

function outsideOfTags(page: string): string {
  return withoutStyle(page).replace('<!doctype html>', '').replace(TAG, '')
}

const TAG = /<\/?[a-z][a-z0-9]*(?:\s+[a-z-]+(?:="[^"<>]*")?)*\s*\/?>/g

function withoutStyle(page: string): string {
  const [before, rest] = page.split('<style>')
  return `${before}${rest!.slice(rest!.indexOf('</style>') + '</style>'.length)}`
}

describe('a page', () => {
  test('has no script, no handler and no way to another place', async () => {
    const page = documentHtml(await everything())
    expect(page).not.toMatch(
      /<script|<link rel="(?!icon)|<iframe|<object|<embed|<form|@import|\surl\(|\son[a-z]+=/,
    )
    expect(
      [...page.matchAll(/(?:href|src)="([^"]*)"/g)].filter(
        ([, to]) => !/^(?:#b\d+(?:m\d+)?|#top|data:.*)$/.test(to!),
      ),
    ).toEqual([])
    expect(page).toContain(`content="${EXPORT_POLICY}"`.replaceAll("'", '&#39;'))
  })

  test('has a result with its call, and one that nobody called for alone', async () => {
    const document = await documentOf((it) => {
      const [main] = it.branches
      const callId = it.call(it.run(main!, state.completed), {}, 'completed')
      for (const text of ['first of all', 'a second'])
        it.message(main!, 'tool', [
          {
            id: countedIds(8_000 + text.length)('prt'),
            type: 'tool-result',
            callId,
            tool: 'bash',
            status: 'completed',
            output: { text },
          },
        ])
    })
    const [call, alone] = [...documentHtml(document).matchAll(/<article[^]*?<\/article>/g)].map(String)
    expect(call).toContain('first of all')
    expect(alone).toContain('a second')
    expect(call).not.toContain('a second')
  })

  test('leads to places that are there, and has each once', async () => {
    const page = documentHtml(await everything())
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]!)
    const links = [...page.matchAll(/ (?:href="#|aria-labelledby=")([^"]*)"/g)].map((match) => match[1]!)
    expect(new Set(ids).size).toBe(ids.length)
    expect(links.filter((link) => !ids.includes(link))).toEqual([])
    expect(links.length).toBeGreaterThan(20)
  })

  test('names what is paused below a branch that has stopped, with the command that goes on with it', async () => {
    const document = await documentOf((it) => {
      const [main] = it.branches
      it.run(main!, state.completed)
      it.run(it.branch('subagent', main!, null, false), state.paused('user'))
    })
    const page = documentHtml(document)
    expect(page.replace(/\s+/g, ' ')).toContain(
      `Subagent <a href="#b1">general (a run)</a> is paused (user): <code>offshoot continue ${document.branches![0]!.id}</code>`,
    )
  })

  test('closes what it opens, at any depth', async () => {
    const deep = await documentOf((it) => {
      let branch = it.branches[0]!
      for (let depth = 0; depth < 300; depth++) {
        branch = it.branch('fork', branch, it.message(branch, 'user', [it.text('x')]), true)
        if (depth % 7 === 0) it.branch('fork', it.branches[0]!, it.messages[0]!.id, true)
      }
    })
    for (const document of [deep, await everything()]) {
      const open: string[] = []
      for (const tag of tagsOf(documentHtml(document))) {
        const name = /[a-z0-9]+/.exec(tag)![0]
        if (tag.startsWith('</')) expect([name, tag]).toEqual([open.pop(), tag])
        else if (!tag.endsWith('/>')) open.push(name)
      }
      expect(open).toEqual([])
    }
    expect(documentHtml(deep).includes('level 250 ·')).toBe(true)
  })

  test('says how things ended: unknown outcomes, errors, limits, costs, and who allowed what', async () => {
    const page = documentHtml(await everything())
    for (const said of [
      'Its effect is unknown',
      'Paused: limit: max turns',
      'a note',
      'Allowed once by User (me): “why not”. Reason: bash asks.',
      'Outcomes unknown',
      'changed.ts (new, +2 −1)',
      'npm test (ended from outside)',
      'Back to where it started',
      '$1.00',
    ])
      expect(page).toContain(said)
  })

  test('of a conversation in which nothing was said, or of which only messages are known', () => {
    const bare = {
      version: 2,
      id: 'cnv_1',
      title: ' \n',
      directory: '/',
      created: 0,
      updated: 9e15,
      messages: [],
    }
    const page = documentHtml(bare as unknown as ExportDocument)
    expect(page).toContain('<title>Conversation — Offshoot</title>')
    expect(page).toContain('No messages.')
  })

  test('is equal for equal documents', async () => {
    expect(documentHtml(await everything())).toBe(documentHtml(await everything()))
  })
})

test('ten times the messages are ten times the work', async () => {
  const [small, large] = [await workFor(100), await workFor(1_000)]
  expect(large / small).toBeGreaterThan(8)
  expect(large / small).toBeLessThan(11)
})

/** How often something is read of a document with so many turns, each with a call and its result, and some forks. */
async function workFor(turns: number): Promise<number> {
  const document = await documentOf((it) => {
    const [main] = it.branches
    const first = it.message(main!, 'user', [it.text('Go.')])
    it.run(main!, state.completed)
    for (let turn = 0; turn < turns; turn++) {
      it.grow({ grow: 'call', on: 0, input: { turn }, asks: false, text: 'out' })
      if (turn % 10 === 0) it.branch('fork', main!, first, true)
    }
  })
  let reads = 0
  const counted = <T extends object>(value: T): T =>
    new Proxy(value, {
      get: (target, key) => {
        reads++
        const found: unknown = Reflect.get(target, key)
        return typeof found === 'object' && found !== null ? view(found) : found
      },
    })
  const views = new WeakMap<object, object>()
  const view = (value: object) => {
    const made = views.get(value) ?? counted(value)
    views.set(value, made)
    return made
  }
  expect(documentHtml(counted(structuredClone(document)))).toContain(`b0m${turns}`)
  return reads
}

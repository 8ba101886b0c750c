import { expect, test } from 'vitest'
import { cpuMsOf } from '../../../test/support/cpu-time.ts'
import { loopbackNetwork } from './fixtures/loopback-network.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { fetchPage } from './fixtures/call.ts'
import { httpSite } from './fixtures/site.ts'
import { htmlText, htmlTitle } from './html-text.ts'
import { markdownOf } from './markdown.ts'

const base = 'https://example.com/a/'
const signal = new AbortController().signal
/** a thread may start slowly on a busy machine */
const SLOW_MS = 30_000
const convert = (html: string) => markdownOf({ html, base }, systemClock, signal)

test('keeps links and images, and only those that lead to a page', async () => {
  const html = `<a href="b(1)">one</a> <a href="mailto:a@b.c">two</a> <a href="data:x">three</a> <a>four</a> <a href="x"></a>
    <img src="/i.png" alt="pic]"> <img src="data:image/png;base64,AAAA" alt="inline"> <img src="y.png">`
  expect(await convert(html)).toBe(
    '[one](https://example.com/a/b%281%29) [two](mailto:a@b.c) three four ![pic\\]](https://example.com/i.png) inline',
  )
})

test('gives every table a header row', async () => {
  const rows = '<tr><td>a<td>b\n\nc</tr><tr><td>d<td></tr>'
  const table = '| a | b c |\n| --- | --- |\n| d |'
  expect(await convert(`<table>${rows}</table>`)).toContain(table)
  expect(await convert(`<table><caption>x</caption><tbody>${rows}</tbody></table>`)).toContain('| a | b c |')
})

test('runs no script of the page, in a thread without environment', async () => {
  const html = `<script>globalThis.x = 1; process.exit(1)</script><body onload="process.exit(1)">
    <img src=x onerror="process.exit(1)"><svg onload="process.exit(1)"></svg><iframe src="file:///etc/passwd">in</iframe>still here`
  expect(await convert(html)).toBe('still here')
})

/** Pages that take unbounded time or memory to parse or walk. */
const BOMBS: Readonly<Record<string, string>> = {
  'deep blocks': '<div>'.repeat(200_000),
  'deep lists': `${'<ul><li>'.repeat(5_000)}x`,
  'formatting that never closes': '<b><p>'.repeat(30_000),
  'tables in tables': '<font><p><table><tr><td>'.repeat(20_000),
  'many attributes': `<p ${Array.from({ length: 200_000 }, (_, index) => `a${index}=1`).join(' ')}>x`,
}

test.each(Object.entries(BOMBS))(
  '%s fall back to plain text without blocking other work',
  async (_, html) => {
    const soon = { ...systemClock, after: (_ms: number, fn: () => void) => systemClock.after(700, fn) }
    const converted = markdownOf({ html, base }, soon, signal)
    let turns = 0
    const turn = () => setImmediate(() => void (++turns < 1_000 && turn()))
    turn()
    expect(await converted).toBeNull()
    expect(turns).toBe(1_000)
  },
  SLOW_MS,
)

test(
  'a page that is too large or too complex for Markdown becomes plain text',
  async () => {
    const html = `<title>T</title>${'<p>word</p>'.repeat(450_000)}`
    await using site = await httpSite((_, response) =>
      response.setHeader('content-type', 'text/html').end(html),
    )
    const network = loopbackNetwork({
      names: { 'example.com': ['93.184.216.34'] },
      ports: { '*:80': site.port },
    })
    const text = await fetchPage(network, 'http://example.com/')
    expect(text).toContain('format="text">\nTitle: T\n\nword\n\nword')
  },
  SLOW_MS,
)

test('a stop ends the thread', async () => {
  const controller = new AbortController()
  const reason = new Error('stopped')
  const converted = markdownOf({ html: BOMBS['many attributes']!, base }, systemClock, controller.signal)
  controller.abort(reason)
  await expect(converted).rejects.toBe(reason)
})

test.each([
  ['a &lt;b&gt; &amp;amp; &#233;&#xe9; &nope; &#0; &#x110000;', 'a <b> &amp; éé &nope; \ufffd \ufffd'],
  ['<p>one<br>two</p><div>three <b>b</b></div>', 'one\ntwo\n\nthree b'],
  ['a<!-- <p>no</p> -->b<!-- never', 'ab'],
  ['1 < 2 <3 <', '1 < 2 <3 <'],
  ['<script>a</script >b<SCRIPT>c</Script>d<style>e', 'bd'],
  ['<td>a</td><td>b</td>', 'a b'],
  ['<?php x ?>y<!doctype html>z', 'yz'],
  ['<p', ''],
  ['<img alt="a > b" title=\'c > d\'>e', 'e'],
  ['<a href=x title="</a> &gt; <b>">x</a>', 'x'],
  ['<input value="a" placeholder = \'b">c\' checked>d', 'd'],
  ['<p title=a"b>c', 'c'],
  ['<script>if (a > "</p>") b("<!--")</script>c', 'c'],
  ['<script data-x="a > b">c</script>d', 'd'],
  ['<iframe srcdoc="<p>a</p>">b</iframe>c', 'c'],
  ['<svg viewBox="0"/>a<svg><title/>b</svg>c<svg><style>d</svg>e', 'ace'],
  ['<object>a<object>b</object>c</object>d', 'd'],
  ['a<!-->b<!--->c<!-- <p title="-->d<!-- e --!>f', 'abcdf'],
  ['a<![CDATA[b > c]]>d<![CDATA[e', 'ad'],
  ['a<b title="b>c', 'a'],
  ['<textarea><b>a</textarea>', '<b>a'],
  ['&ouml;&sum;&#128; &copy &notit;', 'ö∑€ © ¬it;'],
  ['', ''],
])('the plain text of %j is %j', (html, text) => {
  expect(htmlText(html)).toBe(text)
})

test('plain text and title do not depend on where the chunks are cut', () => {
  const words = '<b title="a>b">c</b>&ouml;<!-- d --><svg><title>e</title></svg>f<script>"</b>"</script>g '
  const page = `<title>h &amp; i</title>${words}`
  for (let blanks = 4_096 - page.length; blanks <= 4_096; blanks++) {
    const html = ' '.repeat(blanks) + page
    expect([htmlText(html), htmlTitle(html)]).toEqual(['cöfg', 'h & i'])
  }
})

test(
  'plain text takes linear time for any input',
  async () => {
    const pieces = [
      '<',
      '<a',
      '<script>',
      '<!--',
      '&',
      '&#',
      '<title',
      '\n',
      ' ',
      '</',
      '<p>',
      '\u0000',
      '<x y="',
      '&amp',
      '<![CDATA[',
      '</p>',
      '<svg>',
    ]
    for (const piece of pieces) {
      const html = piece.repeat(Math.floor((512 * 1024) / piece.length))
      const read = () => [htmlText(html), htmlTitle(html)]
      expect(await cpuMsOf(read), JSON.stringify(piece)).toBeLessThan(4_000)
    }
  },
  SLOW_MS,
)

test('a title is one line', () => {
  expect(htmlTitle('<head><TITLE class="x">A\n &amp;  B</title>')).toBe('A & B')
  expect(htmlTitle('<p>none</p>')).toBe('')
  expect(htmlTitle('<!-- <title>a</title> --><svg><title>b</title></svg><title>c <i></title>')).toBe('c <i>')
  expect(htmlTitle('<meta content="<title>a</title>"><title data-x="1 > 0">b</title><title>c</title>')).toBe(
    'b',
  )
  expect(htmlTitle(`<title>${'x'.repeat(900)}</title>`)).toHaveLength(200)
})

import { afterAll, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { conversationOf, id, imported } from '../../support/long-conversation.ts'

afterAll(closeBrowser)

const HEADS = [
  'measurement',
  'configuration',
  'environment',
  'observation',
  'interpretation',
  'responsibility',
]
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
const TABLE = [
  row(HEADS),
  '|:--|:-:|--:|---|---|---|',
  row(['first', 'second', 'third', 'misinterpretations', 'counterrevolutionaries', 'incomprehensibilities']),
].join('\n')
const CODE = "export const text = 'a' // what it is\n"

function said(...texts: readonly string[]): object {
  return conversationOf(
    texts.map((text, at) => ({
      role: at % 2 ? 'assistant' : 'user',
      content: text,
      parts: [{ id: id('prt', at), type: 'text', text }],
    })),
  )
}

async function open(conversation: object, width: number): Promise<ServedPage> {
  const served = await ServedPage.open({}, { screen: { width, height: 844, theme: 'light' } })
  await served.page.goto(`${served.url}/c/${await imported(served, conversation)}`)
  await served.page.getByRole('article', { name: 'Answer' }).first().waitFor()
  return served
}

it.each([390, 1280])('a table breaks no word at %d pixels: it scrolls by itself', async (width) => {
  await using served = await open(said('What is known?', TABLE), width)
  const { page } = served
  await page.getByRole('region', { name: 'Table' }).waitFor()
  expect(await page.evaluate(LINES_OF_CELLS)).toEqual(Array.from({ length: 12 }, () => 1))
  expect(await page.evaluate(`${TABLE_BOX}.scrollWidth > ${TABLE_BOX}.clientWidth`)).toBe(true)
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  expect(await page.evaluate(ALIGNMENTS)).toEqual(['left', 'center', 'right', 'start', 'start', 'start'])
  expect(await served.look(`table-${width}`)).toEqual([])
  expect(served.problems).toEqual([])
})

it('code gets its colours from a worker, and every block the same', async () => {
  const block = `\`\`\`ts\n${CODE.repeat(100)}\`\`\``
  await using served = await open(said('Show it.', `${block}\n\n${block}`), 1280)
  const { page } = served
  await expect.poll(() => page.evaluate(COLOURS)).toEqual([5, 5])
  expect(page.workers().map((worker) => new URL(worker.url()).pathname)).toEqual([
    expect.stringMatching(/^\/assets\/highlight-worker-.*\.js$/),
  ])
  expect(served.problems).toEqual([])
})

it('what people and models write goes in the direction of its own words', async () => {
  const answer = 'עברית\n\n- רשימה\n\nHello.'
  await using served = await open(said('שלום, what is this?', answer), 1280)
  const { page } = served
  await page.getByRole('textbox', { name: 'Message…' }).fill('שלום')
  expect(await page.evaluate(DIRECTIONS)).toEqual({
    'שלום, what is this?': 'rtl',
    עברית: 'rtl',
    רשימה: 'rtl',
    'Hello.': 'ltr',
    field: 'rtl',
  })
  await served.screenshot('direction')
})

const TABLE_BOX = `document.querySelector('[aria-label=Table]')`
/** Of each cell: the lines of text that are in it. */
const LINES_OF_CELLS = `[...document.querySelectorAll('th, td')].map((cell) => {
  const range = document.createRange()
  range.selectNodeContents(cell)
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
})`
const ALIGNMENTS = `[...document.querySelectorAll('th')].map((cell) => getComputedStyle(cell).textAlign)`
/** Of each block of code: how many colours are in it. */
const COLOURS = `[...document.querySelectorAll('pre code')].map(
  (code) => new Set([...code.querySelectorAll('[style]')].map(({ style }) => style.color)).size)`
/** By what is written. */
const DIRECTIONS = `Object.fromEntries(
  [...document.querySelectorAll('[data-transcript] article [dir]:not(ul)'), ...document.querySelectorAll('[data-transcript] li')]
    .map((element) => [element.textContent, getComputedStyle(element).direction])
    .concat([['field', getComputedStyle(document.querySelector('#composer')).direction]]))`

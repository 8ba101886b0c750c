// `npm run bench:page`: the real page of the real `serve` in Chromium, while 20 subagents write 200 pieces a second, and
// in a conversation of 10,000 messages, and while one of 2,400 is opened. Prints figures beside what they are to be, and writes bench/RESULTS-PAGE.md; it
// fails for nothing, for they are those of the machine.
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import type { Browser, Page } from 'playwright-core'
import { closeBrowser, ServedPage } from '../test/support/browser.ts'
import { imported, longConversation, scrollUp } from '../test/support/long-conversation.ts'
import { workedConversation } from '../test/support/worked-conversation.ts'
import { providerEnvironment } from '../test/support/model-server.ts'
import { median, table } from './figures.ts'
import { startPageModel } from './page-model.ts'

const CHILDREN = 20
const PIECES_PER_SECOND = 200
const MEASURED_MS = 10_000
const LOADS = 7
const MESSAGES = 10_000
/** Of a conversation with runs, tool calls, tables and code. */
const WORKED_MESSAGES = 2_400
const TICKS_PER_SECOND = 100

const BUILD = '../scripts/build-web.mjs'
const { firstLoadKb } = (await import(BUILD)) as { firstLoadKb(): number }

/** Every piece holds when it was written: how old is it when it can be seen? */
const WATCH = `new Promise((resolve) => {
  const box = document.querySelector('[data-transcript]')
  const began = performance.now()
  const delays = []
  let last = began, frames = 0, slow = 0
  let seen = Number(/t(\\d{13})\\s*$/.exec(box.textContent)?.[1] ?? 0)
  new MutationObserver(() => {
    const now = Date.now()
    for (const [, at] of box.textContent.slice(-400).matchAll(/t(\\d{13})/g))
      if (Number(at) > seen) delays.push(now - (seen = Number(at)))
  }).observe(box, { subtree: true, childList: true, characterData: true })
  const frame = (now) => {
    frames++
    if (now - last > 50) slow++
    last = now
    const wallMs = performance.now() - began
    if (wallMs < ${MEASURED_MS}) requestAnimationFrame(frame)
    else resolve({ delays, frames, slow, wallMs })
  }
  requestAnimationFrame(frame)
})`

const NOTE_USABLE = `window.usableAt = new Promise((resolve) => {
  new MutationObserver((_, observer) => {
    if (!document.querySelector('textarea')) return
    observer.disconnect()
    resolve(performance.now())
  }).observe(document, { subtree: true, childList: true })
})`

const rows: string[][] = []
{
  await using model = await startPageModel(CHILDREN, PIECES_PER_SECOND / CHILDREN)
  await using served = await ServedPage.open(
    {},
    {
      config: {
        model: 'openai-compatible/page',
        limits: { maxConcurrent: CHILDREN, globalConcurrent: CHILDREN, maxTokens: 20_000_000 },
      },
      env: providerEnvironment('openai-compatible', model.url),
    },
  )
  const usable = await timesToUsable(served)
  tell('first load, compressed', `${firstLoadKb().toFixed(0)} kB`, 'at most 300 kB')
  tell(`usable after, median of ${LOADS} cold loads`, `${median(usable).toFixed(0)} ms`, 'at most 1,000 ms')
  await measureStream(served)
  model.stop()
}
{
  await using served = await ServedPage.open({})
  await measureScrolling(served)
}
{
  await using served = await ServedPage.open({})
  await measureOpening(served)
}
await closeBrowser()
const machine = `${process.platform} ${process.arch}, ${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)}, Node ${process.version}`
const results = table(['', 'measured', 'aim'], rows).join('\n')
const text = `# Results of the page\n\n\`npm run bench:page\` on ${machine}. Chromium and the server share the machine.\n\n${results}\n`
console.log(text)
writeFileSync(new URL('RESULTS-PAGE.md', import.meta.url), text)

function tell(...row: string[]): void {
  rows.push(row)
}

/** From the request for the page to the field in which one writes, in a browser that has nothing of it. Milliseconds. */
async function timesToUsable(served: ServedPage): Promise<number[]> {
  const browser = served.page.context().browser()!
  const storageState = await served.page.context().storageState()
  const times: number[] = []
  for (let load = 0; load < LOADS; load++) {
    const context = await browser.newContext({ storageState })
    const page = await context.newPage()
    await page.addInitScript(NOTE_USABLE)
    await page.goto(served.url)
    times.push(await page.evaluate<number>('window.usableAt'))
    await context.close()
  }
  return times
}

/** One child is looked at, among the cards and rows of all. */
async function measureStream(served: ServedPage): Promise<void> {
  const { page } = served
  await served.begin()
  await page.getByRole('region', { name: `Running, ${CHILDREN}` }).waitFor()
  await page
    .getByRole('region', { name: 'Agents', exact: true })
    .getByRole('button', { name: /^View general/ })
    .first()
    .click()
  await page.getByRole('textbox', { name: 'Message @general' }).waitFor()
  await page
    .getByRole('article', { name: 'Answer' })
    .getByText(/t\d{13}/)
    .waitFor()
  const cpuBefore = cpuSecondsOf(served.server.pid)
  const { delays, frames, slow, wallMs } = (await page.evaluate(WATCH)) as Watched
  const share = ((cpuSecondsOf(served.server.pid) - cpuBefore) / wallMs) * 1000
  const memory = await memoryOf(page)
  tell(
    `piece of text, from the model to the page, median of ${delays.length}`,
    `${median(delays).toFixed(0)} ms`,
    'at most 50 ms from the bus',
  )
  tell(
    'the same, 95th of 100',
    `${delays.toSorted((a, b) => a - b)[Math.floor(delays.length * 0.95)]} ms`,
    '',
  )
  tell('CPU of the server, of one core', `${(share * 100).toFixed(0)} %`, 'under 30 %')
  tell('frames over 50 ms meanwhile', `${slow} of ${frames}`, '')
  tell('JavaScript heap of the page', `${megabytes(memory.heapBytes)} MB`, '')
  tell('process of the page (PSS)', `${megabytes(memory.processBytes)} MB`, 'under 300 MB')
}

async function measureScrolling(served: ServedPage): Promise<void> {
  const { page } = served
  await page.goto(`${served.url}/c/${await imported(served, longConversation(MESSAGES))}`)
  await page.getByText(`Message ${MESSAGES - 1}.`).waitFor()
  const { slow, frames, drawn } = await scrollUp(page)
  const what = `${MESSAGES.toLocaleString('en')} messages, scrolled up through 1,000 of them`
  tell(`${what}: frames over 50 ms`, `${slow} of ${frames}`, '')
  tell('messages in the document meanwhile', String(drawn), '')
}

/** From the press on it to its last answer, and from the key to its first question. */
async function measureOpening(served: ServedPage): Promise<void> {
  const { page } = served
  await imported(served, workedConversation(WORKED_MESSAGES))
  const opened: number[] = []
  const first: number[] = []
  for (let load = 0; load < LOADS; load++) {
    await page.goto(served.url)
    await page.getByRole('link', { name: /Long/ }).waitFor()
    opened.push(
      await page.evaluate<number>(timeTo(`document.querySelector('a[href^="/c/"]').click()`, 'Answer 599')),
    )
    const home = `dispatchEvent(new KeyboardEvent('keydown', { key: 'Home' }))`
    first.push(await page.evaluate<number>(timeTo(home, 'Question 0:')))
  }
  const what = `${WORKED_MESSAGES.toLocaleString('en')} messages with tools, median of ${LOADS}`
  tell(`${what}: the last is shown after`, `${median(opened).toFixed(0)} ms`, 'at most 1,000 ms')
  tell(`${what}: Home shows the first after`, `${median(first).toFixed(0)} ms`, '')
}

/** Does something in the page, and waits for the frame in which a text is in view. Milliseconds. */
function timeTo(what: string, text: string): string {
  return `new Promise((resolve) => {
    const began = performance.now()
    const isShown = () => {
      const box = document.querySelector('[data-transcript]')
      const found = [...(box?.querySelectorAll('article') ?? [])].find((each) => each.textContent.includes('${text}'))
      const place = found?.getBoundingClientRect()
      return place && place.bottom > box.getBoundingClientRect().top && place.top < innerHeight
    }
    const look = () => (isShown() ? resolve(performance.now() - began) : requestAnimationFrame(look))
    ${what}
    requestAnimationFrame(look)
  })`
}

interface Watched {
  readonly delays: readonly number[]
  readonly frames: number
  readonly slow: number
  readonly wallMs: number
}

function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** The largest renderer is that of the page: the others are spare. */
async function memoryOf(page: Page): Promise<{ readonly heapBytes: number; readonly processBytes: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const { metrics } = await session.send('Performance.getMetrics')
  const heapBytes = metrics.find(({ name }) => name === 'JSHeapUsedSize')!.value
  const processes = await renderersOf(page.context().browser()!)
  return { heapBytes, processBytes: Math.max(...processes.map(pssOf)) }
}

async function renderersOf(browser: Browser): Promise<readonly number[]> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
}

/** Bytes; what is shared with other processes counts in part. */
function pssOf(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)![1]) * 1024
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}

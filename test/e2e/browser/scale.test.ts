import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { conversationOf, id, imported, longConversation, scrollUp } from '../../support/long-conversation.ts'
import { bash, task, waits, WAITS_ALLOWED } from '../../support/scripted-tree.ts'

afterAll(closeBrowser)

const usage = { input_tokens: 100, output_tokens: 10 }

describe('twenty subagents at once', () => {
  it('move nothing for somebody who reads above, who is told what is new', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `part-${index}`)
    const long = Array.from({ length: 60 }, (_, index) => `Line ${index} of the plan.`).join('\n\n')
    await using served = await ServedPage.open(
      {
        'Go.': [
          { text: long, toolCalls: names.map((name) => task(name)), usage },
          { text: 'All twenty are back.', usage },
        ],
        'Do part-': [
          ({ whole }) => ({ toolCalls: [waits(/Do (part-\d+)\./.exec(whole)![1]!)], usage }),
          { text: 'Done.', usage },
        ],
      },
      {
        config: {
          permissions: [WAITS_ALLOWED],
          limits: { maxConcurrent: 20, globalConcurrent: 20, budgetUsd: 50, maxTokens: 20_000_000 },
        },
      },
    )
    const { page } = served
    await served.begin()
    await page.getByText('Running 20 agents').waitFor()
    await page.getByRole('region', { name: 'Running, 20' }).waitFor()
    const line = page.getByText('Line 3 of the plan.', { exact: true })
    await line.scrollIntoViewIfNeeded()
    await expect.poll(() => isAtEnd(page)).toBe(false)
    await page.evaluate(WATCH)
    for (const name of names) served.tree.release(name)
    await page.getByRole('region', { name: 'Done, 20' }).waitFor()
    await page.getByRole('button', { name: /^\d+ new$/ }).waitFor()
    expect(await page.evaluate('[...window.places]')).toHaveLength(1)
    await page.getByRole('button', { name: /^\d+ new$/ }).click()
    await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'All twenty are back.' }).waitFor()
    await expect.poll(() => isAtEnd(page)).toBe(true)
    expect(served.problems).toEqual([])
  })
})

describe('five megabytes from a tool', () => {
  it('are told, read and opened while the page answers', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [
          { toolCalls: [bash('yes 0123456789abcdef | head -c 5000000')], usage },
          { text: 'That was much.', usage },
        ],
      },
      { config: { permissions: [{ tool: 'bash', action: 'allow' }] } },
    )
    const { page } = served
    await page.evaluate(LONG_TASKS)
    await served.begin()
    await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'That was much.' }).waitFor()
    await open(page, /^\$ yes/)
    expect(await page.evaluate('Math.max(0, ...window.longTasks)')).toBeLessThan(LONGEST_MS)
    expect(served.problems).toEqual([])
  })

  it('that are kept whole are read and opened while the page answers', async () => {
    await using served = await ServedPage.open({})
    const text = `${'0123456789abcdef'.repeat(16)}\n`.repeat(20_000)
    const id = await imported(served, withResult(text))
    const { page } = served
    await page.goto(`${served.url}/c/${id}`)
    await page.evaluate(LONG_TASKS)
    await open(page, /^bash/)
    await page.getByRole('button', { name: 'Show full text' }).click()
    await page.getByText('Copy copies everything').waitFor()
    await page.getByRole('textbox', { name: 'Message…' }).fill('It still answers.')
    expect(await page.evaluate('Math.max(0, ...window.longTasks)')).toBeLessThan(LONGEST_MS)
    expect(served.problems).toEqual([])
  })
})

describe('ten thousand messages', () => {
  it('are scrolled through without a long frame, and only those in view are drawn', async () => {
    await using served = await ServedPage.open({})
    const id = await imported(served, longConversation(10_000))
    const { page } = served
    await page.goto(`${served.url}/c/${id}`)
    await page.getByText('Message 9999.').waitFor()
    const scrolled = await scrollUp(page)
    expect(scrolled.first).toBeLessThan(9000)
    expect(scrolled.drawn).toBeLessThan(200)
    const { slow, frames } = scrolled
    expect(slow / frames, `${slow} of ${frames} frames took over 50 ms`).toBeLessThan(SLOW_SHARE)
    expect(served.problems).toEqual([])
  })
})

function isAtEnd(page: Page): Promise<unknown> {
  return page.evaluate(
    `(() => { const box = document.querySelector('[data-transcript]'); return box.scrollHeight - box.scrollTop - box.clientHeight < 100 })()`,
  )
}

/** Notes where the line that is read is in every frame from now on. */
const WATCH = `(() => {
  const line = [...document.querySelectorAll('p')].find((each) => each.textContent === 'Line 3 of the plan.')
  window.places = new Set()
  const look = () => {
    window.places.add(line.getBoundingClientRect().top)
    requestAnimationFrame(look)
  }
  look()
})()`

/** Notes what holds the page up for longer than 50 ms from now on. */
const LONG_TASKS = `window.longTasks = []; new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longTasks.push(duration)
}).observe({ type: 'longtask' })`
/** Drawing five megabytes takes several times as long. */
const LONGEST_MS = 1000

function withResult(text: string): object {
  const call = { callId: id('cal', 0), tool: 'bash' }
  return conversationOf([
    { role: 'user', content: 'Go.', parts: [{ id: id('prt', 0), type: 'text', text: 'Go.' }] },
    {
      role: 'assistant',
      content: '',
      parts: [{ id: id('prt', 1), type: 'tool-call', ...call, input: { command: 'much' } }],
    },
    {
      role: 'tool',
      content: '',
      parts: [{ id: id('prt', 2), type: 'tool-result', ...call, status: 'completed', output: { text } }],
    },
  ])
}

/** Most are those in which a page of older messages comes in; a busy machine has more. */
const SLOW_SHARE = 0.15

async function open(page: Page, call: RegExp): Promise<void> {
  await page.getByRole('button', { name: call }).first().click()
  await page.getByRole('region', { name: 'Output' }).waitFor()
}

import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { imported } from '../../support/long-conversation.ts'
import { task, waits, WAITS_ALLOWED } from '../../support/scripted-tree.ts'
import { workedConversation } from '../../support/worked-conversation.ts'

afterAll(closeBrowser)

const usage = { input_tokens: 8000, output_tokens: 400 }
const LONG = 'Read every file of the payment service and list what it exports'
const actors = {
  'Go.': [
    { text: 'I split this.', toolCalls: [task(LONG), task('map')], usage },
    { text: 'Both are back.', usage },
  ],
  'Do Read': [
    { toolCalls: [waits('read')], usage },
    { text: 'Read.', usage },
  ],
  'Do map.': [
    { toolCalls: [waits('map')], usage },
    { text: 'Mapped.', usage },
  ],
}
const config = { permissions: [WAITS_ALLOWED] }
const phone = { width: 390, height: 844, theme: 'light' } as const

describe('three hundred conversations', () => {
  it('are listed a hundred at a time, which the list says, and all are found by their titles', async () => {
    await using served = await ServedPage.open({})
    for (let number = 0; number < 300; number++)
      await served.call('POST', '/conversations', { title: `Number ${1000 + number}` })
    const { page } = served
    await page.reload()
    const list = page.getByRole('navigation', { name: 'Conversations and branches' })
    const count = () => list.getByRole('listitem').count()
    await list.getByText('100 of 300 shown').waitFor()
    expect(await count()).toBe(100)
    await list.getByRole('button', { name: 'Show more' }).click()
    await list.getByText('200 of 300 shown').waitFor()
    expect(await count()).toBe(200)
    await list.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(count).toBe(300)
    expect(await list.getByRole('button', { name: 'Show more' }).count()).toBe(0)
    await list.getByRole('textbox', { name: 'Find a conversation' }).fill('number 1000')
    await expect.poll(count).toBe(1)
    await list.getByRole('textbox', { name: 'Find a conversation' }).fill('number 1300')
    await list.getByText('No results').waitFor()
    expect(served.problems).toEqual([])
  })
})

describe('2,400 messages', () => {
  it('are left for the first and the latest one with one key each', async () => {
    await using served = await ServedPage.open({})
    const { page } = served
    const path = `/c/${await imported(served, workedConversation(2400))}`
    for (const time of [1, 2, 3]) {
      // Heights that are measured at the moment of the key take nobody back.
      await page.goto(`${served.url}${path}?time=${time}`)
      await page.getByRole('heading', { name: 'Answer 599' }).waitFor()
      await page.keyboard.press('Home')
      await page.getByText('Question 0: what does').waitFor()
      await expect.poll(() => page.evaluate(PLACE)).toBe('start')
    }
    // What is older is not new.
    expect(await page.getByRole('button', { name: /new$/ }).count()).toBe(0)
    await served.screenshot('first-message')
    await page.keyboard.press('End')
    await page.getByRole('heading', { name: 'Answer 599' }).waitFor()
    await expect.poll(() => page.evaluate(PLACE)).toBe('end')
    expect(served.problems).toEqual([])
  })
})

describe('every page', () => {
  it('has one heading of the first level, no empty bar, and one timeline', async () => {
    await using served = await ServedPage.open(actors, { config })
    const { page } = served
    const headings = () => page.getByRole('heading', { level: 1 }).allInnerTexts()
    expect(await headings()).toEqual(['What are we working on?'])
    expect(await page.locator('header').count()).toBe(0)
    await served.screenshot('home-bar')
    await served.begin()
    const view = page.getByRole('button', { name: /^View branch of general: map/ })
    await view.waitFor()
    await expect.poll(headings).toEqual(['Go.'])
    await view.click()
    await page.getByRole('textbox', { name: 'Message @general' }).waitFor()
    expect(await headings()).toEqual(['@general map'])
    await page.keyboard.press('Alt+ArrowUp')
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('View branch of general: map')
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    const timelines = page.getByRole('region', { name: 'Timeline' })
    await timelines.waitFor()
    await page.getByRole('button', { name: 'Open timeline as a page' }).click()
    await page.waitForURL(/\/timeline$/)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await page.getByRole('tab', { name: 'Agents', selected: true }).waitFor()
    expect(await timelines.count()).toBe(1)
    expect(await page.getByRole('tab', { name: 'Timeline' }).count()).toBe(0)
    await served.screenshot('timeline-page')
    expect(served.problems).toEqual([])
  })
})

describe('a phone', () => {
  it('shows what a subagent does, what all costs, and covers nothing that can be pressed', async () => {
    await using served = await ServedPage.open(actors, { config, screen: phone })
    const { page } = served
    await served.begin()
    const card = page.getByRole('button', { name: /^View branch of general: Read/ })
    await card.waitFor()
    await expect.poll(() => page.locator('header').first().innerText()).toMatch(/\$0\.\d/)
    await served.screenshot('phone-cards')
    expect(await page.evaluate(SHOWN_OF_TASK)).toBeGreaterThan(LONG.length / 2)
    await card.click()
    await page.getByRole('textbox', { name: 'Message @general' }).waitFor()
    served.tree.release('map')
    await page.getByText('general is done: Mapped.').last().waitFor()
    await served.screenshot('phone-toast')
    expect(await covered(page)).toEqual([])
    expect(await served.look('phone-toast-look')).toEqual([])
    expect(served.problems).toEqual([])
  })
})

/** What of the two headers a notification lies on. */
function covered(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const toasts = [...document.querySelectorAll('[aria-label=Notifications] > div:not(.sr-only)')]
    const lies = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
    return [...document.querySelectorAll('header button, header a')]
      .filter((each) => each.getClientRects().length > 0)
      .filter((each) => toasts.some((toast) => lies(toast.getBoundingClientRect(), each.getBoundingClientRect())))
      .map((each) => each.outerHTML.slice(0, 120))
  })()`)
}

const PLACE = `(() => {
  const box = document.querySelector('[data-transcript]')
  if (box.scrollTop === 0) return 'start'
  return box.scrollHeight - box.scrollTop - box.clientHeight < 2 ? 'end' : 'between'
})()`
const FOCUSED = `document.activeElement?.getAttribute('aria-label')`
/** Of the task of the first card: its characters that can be seen. */
const SHOWN_OF_TASK = `(() => {
  const task = document.querySelector('[data-run] bdi').firstChild
  const { bottom, right } = task.parentElement.parentElement.getBoundingClientRect()
  const range = document.createRange()
  return [...task.data].filter((_, at) => {
    range.setStart(task, at)
    range.setEnd(task, at + 1)
    const seen = range.getBoundingClientRect()
    return seen.right <= right + 1 && seen.bottom <= bottom + 1
  }).length
})()`

import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { task, waits, WAITS_ALLOWED } from '../../support/scripted-tree.ts'

afterAll(closeBrowser)

const usage = { input_tokens: 100, output_tokens: 10 }
const config = { permissions: [WAITS_ALLOWED] }
const actors = {
  'Go.': [{ toolCalls: [task('map')], usage }],
  'Do map.': [{ toolCalls: [waits('map')], usage }],
}

/** A time of ten minutes or more. */
const LATER = /\b1\dm/

const MINUTES = 12

/** The clock of the browser is set forward, and the page has noticed. */
async function later(page: Page): Promise<void> {
  await page.clock.setFixedTime(Date.now() + MINUTES * 60_000)
  await list(page).getByText(`${MINUTES}m`).waitFor()
}

const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations and branches' })
const main = (page: Page) => page.getByRole('main')

/** What turns on the page, in the list of conversations too. */
const TURNS = `[...document.querySelectorAll('.spin')].filter((each) => getComputedStyle(each).animationName !== 'none').length`

describe('a page whose server is gone', () => {
  it('shows no time that goes on, and nothing that turns', async () => {
    await using served = await ServedPage.open(actors, { config })
    const { page } = served
    await served.begin()
    await page.getByText('$ sh wait.sh map').first().waitFor()
    expect(await page.evaluate(TURNS)).toBeGreaterThan(0)
    await page.getByRole('tab', { name: 'Steps' }).click()
    const steps = page.getByRole('region', { name: 'Steps' })
    await steps.getByText('$ sh wait.sh map').waitFor()
    await served.crash(async () => {
      await page.getByRole('alert').getByText('The connection to the server is lost').waitFor()
      await later(page)
      expect(await steps.innerText()).not.toMatch(LATER)
      expect(await main(page).innerText()).not.toMatch(LATER)
      await page.getByRole('tab', { name: 'Agents' }).click()
      const agents = page.getByRole('region', { name: 'Agents', exact: true })
      await agents.getByText('map').first().waitFor()
      expect(await agents.innerText()).not.toMatch(LATER)
      expect(await page.evaluate(TURNS)).toBe(0)
      await served.screenshot('lost-still')
    })
    await expect.poll(() => main(page).innerText()).toMatch(LATER)
    expect(await page.evaluate(TURNS)).toBeGreaterThan(0)
    expect(served.problems).toEqual([])
  })
})

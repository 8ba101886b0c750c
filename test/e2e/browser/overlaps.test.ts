import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { overlapsOn } from '../../support/overlaps.ts'
import { bash, task, waits, WAITS_ALLOWED } from '../../support/scripted-tree.ts'

afterAll(closeBrowser)

const background = (name: string) => task(name, { run_in_background: true })
const usage = { input_tokens: 800, output_tokens: 40 }
/** A model of which no price is known. */
const config = {
  model: 'anthropic/claude-of-our-own',
  permissions: [WAITS_ALLOWED, { tool: 'bash', pattern: 'rm *', action: 'deny' }],
}
const MAPPED = '## What was found\n\nThe check is in `src/auth.ts:12`.\n\n- `login` trusts the cookie'

const sizes = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
] as const

/** On a busy machine each look takes seconds. */
const MANY_LOOKS_MS = 240_000

describe.each(sizes)('at $width x $height', (size) => {
  it(
    'nothing lies over anything else, and every figure has its unit',
    async () => {
      await using served = await ServedPage.open(actors, { screen: { ...size, theme: 'light' }, config })
      const { page } = served
      const look = async (name: string) => {
        expect(await overlapsOn(page), name).toEqual([])
        expect(await served.look(`overlaps-${name}`)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      }
      await served.begin('Go.')
      await page.getByText('$ sh wait.sh main').first().waitFor()
      served.tree.release('check')
      const inbox = page.getByRole('region', { name: 'Inbox' })
      await inbox.getByText('Report of general: The expiry is checked.').waitFor()
      expect(await inbox.innerText()).not.toContain('completed')
      await look('queue')
      expect(await page.getByRole('banner').innerText()).toMatch(/cost\s+unknown/)
      expect(await page.getByRole('banner').innerText()).not.toContain('?')

      served.tree.release('main')
      await answer(page, 'One is back.').waitFor()
      served.tree.release('late')
      await answer(page, 'All are back.').waitFor()
      await page
        .getByRole('button', { name: /^Report of general: completed/ })
        .last()
        .click()
      await page.getByRole('button', { name: /general map/ }).click()
      expect(await page.getByText(/All 0 steps|0 tool calls/).count()).toBe(0)
      await toTop(page)
      await look('cards')
      await page.evaluate(`document.querySelector('[data-transcript]').scrollTo(0, 1e6)`)
      await look('end')

      await pausedFork(served)
      await look('fork')
      expect(await page.getByRole('button', { name: /^Continue/ }).count()).toBe(size.width < 1100 ? 1 : 2)
      await page.getByRole('button', { name: 'Back', exact: true }).click()
      await answer(page, 'All are back.').waitFor()
      if (size.width < 1100) await page.getByRole('button', { name: /^Agents/ }).click()
      const panel = page.getByRole('region', { name: 'Agents', exact: true })
      const paused = panel.getByRole('region', { name: 'Paused, 1' })
      await paused.getByRole('button', { name: 'Continue main: fork of main' }).waitFor()
      expect(await panel.getByRole('region', { name: /^Done/ }).innerText()).toMatch(
        /840 tokens · cost unknown/,
      )
      await look('agents')
      expect(served.problems).toEqual([])
    },
    MANY_LOOKS_MS,
  )
})

/** A fork of the last answer that has begun to work and is paused, shown. */
async function pausedFork(served: ServedPage): Promise<void> {
  const { page } = served
  const last = answer(page, 'All are back.')
  await last.hover()
  await last.getByRole('button', { name: 'Fork from here' }).click()
  await page.getByText(/^fork · inherits/).waitFor()
  await page.getByRole('textbox', { name: 'Message this fork' }).fill('Another way.')
  await page.keyboard.press('Enter')
  await page.getByText('$ sh wait.sh fork').first().waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('by you', { exact: true }).first().waitFor()
}

async function toTop(page: Page): Promise<void> {
  await page.evaluate(`document.querySelector('[data-transcript]').scrollTo(0, 0)`)
}

function answer(page: Page, text: string) {
  return page.getByRole('article', { name: 'Answer' }).filter({ hasText: text })
}

const actors = {
  'Go.': [
    {
      text: 'I split this in three.',
      toolCalls: [task('map'), background('check'), background('late')],
      usage,
    },
    { text: 'The map is there.', toolCalls: [waits('main')], usage },
    { text: 'I wait for the others.', usage },
    { text: 'One is back.', usage },
    ({ last }: { readonly last: string }) =>
      last.startsWith('Another way')
        ? { toolCalls: [waits('fork')], usage }
        : { text: 'All are back.', usage },
  ],
  'Do map.': [{ text: MAPPED, usage }],
  'Do check.': [
    { toolCalls: [waits('check'), bash('rm -rf /')], usage },
    { text: 'The expiry is checked.', usage },
  ],
  'Do late.': [
    { toolCalls: [waits('late')], usage },
    { text: 'The last one is done.', usage },
  ],
}

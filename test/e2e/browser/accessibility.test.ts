import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, ServedPage, sizes } from '../../support/browser.ts'
import { bash, task, waits, WAITS_ALLOWED } from '../../support/scripted-tree.ts'

afterAll(closeBrowser)

const REPORT = `## What was found

The check is in \`src/auth.ts:12\`, and **two** callers skip it:

- \`login\` trusts the cookie
- \`refresh\` does not look at the expiry

\`\`\`ts
export function isExpired(token: Token, now: number): boolean {
  return token.expiresAt <= now // seconds
}
\`\`\`

| route | checked |
|---|---|
| /login | yes |
| /refresh | no |

> Both can be mended in one place.
`

/** On a busy machine axe takes a second for each look. */
const MANY_SCREENS_MS = 180_000

const files = { 'src/auth.ts': 'export const a = 1\n', 'src/login.ts': 'export const b = 2\n' }
const config = { permissions: [WAITS_ALLOWED] }

describe.each(sizes)('at $width x $height, light and dark', (size) => {
  it(
    'no screen has anything serious that axe finds, or is wider than it may be',
    async () => {
      await using served = await ServedPage.open(actors, {
        screen: { ...size, theme: 'light' },
        files,
        config,
      })
      const { page } = served
      const isPhone = size.width < 720
      const findings: Record<string, readonly string[]> = {}
      const look = async (where: string) => {
        const found = [...(await served.look(where)), ...(await overflowing(page))]
        if (found.length > 0) findings[where] = found
      }
      const answer = page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'What was found' })
      const close = () => page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click()
      const choose = async (choice: string) => {
        await page.getByRole('button', { name: 'More' }).click()
        await page.getByRole('menuitem', { name: choice }).click()
      }

      await page.getByRole('heading', { name: 'What are we working on?' }).waitFor()
      await look('home')
      await served.begin('Review the authentication: is every token checked?')
      const bar = page.locator('[data-needs-bar]')
      await bar.waitFor()
      await look('asked')
      await page.getByRole('textbox', { name: 'Message…' }).fill('And the logout?')
      await page.keyboard.press('Enter')
      await page.getByRole('region', { name: 'Inbox' }).waitFor()
      await page.getByRole('button', { name: 'Withdraw' }).click()
      await bar.getByRole('link', { name: /Answer/ }).click()
      await page.getByRole('button', { name: /^Always for/ }).click()
      await look('always')
      if (size.width < 1100) await page.getByRole('button', { name: /^Agents/ }).click()
      await page.getByRole('region', { name: 'Agents', exact: true }).waitFor()
      await page.getByRole('button', { name: /^Peek:.*Check the expiry/ }).click()
      await look('agents')
      await page.getByRole('tab', { name: 'Steps' }).click()
      await look('steps')
      await page.getByRole('tab', { name: 'Agents' }).click()
      if (size.width < 1100) await close()
      await page.getByRole('button', { name: 'Allow once' }).click()
      await page.getByRole('button', { name: 'Back', exact: true }).click()
      served.tree.release('expiry')
      await answer.waitFor()
      await look('answered')
      if (isPhone) await page.getByRole('button', { name: 'Conversations' }).click()
      await page.getByRole('tab', { name: 'Tree' }).click()
      await page.getByRole('treeitem').nth(3).waitFor()
      await look('tree')
      if (isPhone) await close()
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menu').waitFor()
      await look('menu')
      await page.keyboard.press('Escape')
      await choose('Rename…')
      await page.getByRole('textbox', { name: 'Title' }).waitFor()
      await look('rename')
      await page.keyboard.press('Escape')
      await choose('Delete…')
      await page.getByRole('alertdialog').waitFor()
      await look('delete')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Edit in a new version' }).click()
      await page.getByRole('textbox', { name: 'Edited message' }).waitFor()
      await look('edit')
      await page.keyboard.press('Escape')
      await answer.getByRole('button', { name: 'Fork from here' }).click()
      await page.getByText(/^fork · inherits/).waitFor()
      await look('fork')
      await page.getByRole('button', { name: 'Back', exact: true }).click()
      await page
        .getByRole('button', { name: /^View branch of explore/ })
        .first()
        .click()
      await page.getByRole('textbox', { name: 'Message @explore' }).waitFor()
      await look('subagent')
      await page.goto(`${served.url}/c/cnv_01000000000000000000000000`)
      await page.getByRole('button', { name: 'All conversations' }).waitFor()
      await look('unknown')
      expect(findings).toEqual({})
      expect(served.problems).toEqual([])
    },
    MANY_SCREENS_MS,
  )
})

it('needs no more than 320 pixels', async () => {
  const screen = { width: 320, height: 640, theme: 'light' } as const
  await using served = await ServedPage.open(actors, { screen, files, config })
  const { page } = served
  expect(await overflowing(page)).toEqual([])
  await served.begin('Review the authentication: is every token checked?')
  await page.locator('[data-needs-bar]').waitFor()
  await served.screenshot('asked-320')
  expect(await overflowing(page)).toEqual([])
  await page.getByRole('button', { name: /^Agents/ }).click()
  await page.getByRole('region', { name: 'Agents', exact: true }).waitFor()
  expect(await overflowing(page)).toEqual([])
})

it('moves nothing by itself for somebody who wants no motion', async () => {
  await using served = await ServedPage.open(actors, { files, config })
  const { page } = served
  await served.begin('Review the authentication')
  await page.getByText('$ sh wait.sh expiry').first().waitFor()
  await page.locator('[data-needs-bar]').waitFor()
  await expect.poll(() => page.evaluate(MOVING)).toBeGreaterThan(0)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await expect.poll(() => page.evaluate(MOVING)).toBe(0)
  expect(served.problems).toEqual([])
})

/** What reaches out of the window at its right, and what has to be scrolled sideways but for code, tables and output. */
function overflowing(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.body.querySelectorAll('*')].flatMap((element) => {
    const { right, width, height } = element.getBoundingClientRect()
    const told = element.outerHTML.slice(0, 200)
    const scrolls = (each) => ['auto', 'scroll'].includes(getComputedStyle(each).overflowX)
    if (scrolls(element) && element.scrollWidth > element.clientWidth + 1)
      return element.matches('pre, [role=region], .prose-reply *') ? [] : ['scrolls sideways: ' + told]
    if (width <= 1 || height <= 1 || right <= ${page.viewportSize()!.width} + 1) return []
    for (let up = element.parentElement; up !== document.body; up = up.parentElement)
      if (getComputedStyle(up).overflowX !== 'visible') return []
    return ['too wide: ' + told]
  })`)
}

/** Animations that go on: what spins or pulses. */
const MOVING = `document.getAnimations().filter(({ playState, effect }) =>
  playState === 'running' && effect.getComputedTiming().iterations === Infinity).length`

const usage = { input_tokens: 8400, output_tokens: 380 }
const actors = {
  'Review the authentication': [
    {
      text: 'I will look at three things side by side.',
      toolCalls: [
        task('Map the entry points', { subagent_type: 'explore' }),
        task('Check the expiry of tokens'),
        task('Run the tests', {}),
      ],
      usage,
    },
    { text: REPORT, usage },
  ],
  'Do Map the entry points.': [
    {
      toolCalls: [
        { tool: 'read', input: { file_path: 'src/auth.ts' } },
        { tool: 'read', input: { file_path: 'src/login.ts' } },
        { tool: 'grep', input: { pattern: 'export' } },
      ],
      usage,
    },
    { text: 'There are two entry points: login and refresh.', usage },
  ],
  'Do Check the expiry of tokens.': [
    { toolCalls: [waits('expiry')], usage },
    { text: 'The expiry is not checked on refresh.', usage },
  ],
  'Do Run the tests.': [
    { toolCalls: [bash('printf "12 passed"')], usage },
    { text: 'All twelve tests pass.', usage },
  ],
}

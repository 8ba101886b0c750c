import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, screens, ServedPage } from '../../support/browser.ts'
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

for (const screen of screens) {
  describe(`${screen.width}x${screen.height} ${screen.theme}`, () => {
    it('has nothing serious that axe finds, on any screen', async () => {
      await using served = await ServedPage.open(actors, {
        screen,
        files: { 'src/auth.ts': 'export const a = 1\n', 'src/login.ts': 'export const b = 2\n' },
        config: { permissions: [WAITS_ALLOWED] },
      })
      const { page } = served
      const findings: Record<string, string[]> = {}
      const look = async (where: string) => {
        findings[where] = await served.accessibility()
        await served.screenshot(`${where}-${screen.width}-${screen.theme}`)
      }
      await page.getByRole('heading', { name: 'What should be done?' }).waitFor()
      await look('home')
      await served.begin('Review the authentication: is every token checked?')
      await page.locator('[data-needs-bar]').waitFor()
      await look('asked')
      if (screen.width < 1100) await page.getByRole('button', { name: /^Agents/ }).click()
      await page.getByRole('region', { name: 'Agents', exact: true }).waitFor()
      await look('agents')
      if (screen.width < 1100)
        await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click()
      await page.locator('[data-needs-bar]').getByRole('button', { name: 'Answer' }).click()
      await page.locator('[data-needs-bar]').getByRole('button', { name: 'Allow once' }).click()
      served.tree.release('expiry')
      await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'What was found' }).waitFor()
      await look('answered')
      await page
        .getByRole('button', { name: /^View branch of explore/ })
        .first()
        .click()
      await page.getByRole('textbox', { name: 'Message @explore' }).waitFor()
      await look('subagent')
      expect(findings).toEqual(Object.fromEntries(Object.keys(findings).map((where) => [where, []])))
      expect(served.problems).toEqual([])
    })
  })
}

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

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { everything, withTexts } from '../../../src/export/fixtures/everything.ts'
import { documentHtml } from '../../../src/export/html.ts'
import { closeBrowser, openPage, seriousFindings, sizes, themes, type Screen } from '../../support/browser.ts'
import { TestUser } from '../../support/test-user.ts'

const DESKTOP: Screen = { ...sizes[0], theme: 'light' }

let user: TestUser
let page: string

beforeAll(async () => {
  user = new TestUser({ 'src/auth.ts': AUTH })
  const permissions = ['edit', 'bash'].map((tool) => ({ tool, action: 'allow' }))
  user.write('offshoot.jsonc', JSON.stringify({ model: user.script(SCRIPT), permissions }))
  await user.trust()
  await user.call(['run', 'Is every token checked? Please mend what is not.'])
  const { id } = user.rows('SELECT id FROM conversations')[0]!
  const message = user.rows(`SELECT id FROM messages WHERE role = 'user' ORDER BY id`)[0]!['id']
  await user.call(['fork', String(message), 'Only list the callers.'])
  const exported = await user.call(['export', String(id), '--format', 'html'])
  page = user.write('talk.html', exported.stdout)
})

afterAll(async () => {
  await closeBrowser()
  user.remove()
})

it.each(sizes)(
  'opens at $width x $height without a server, and asks nothing of the network',
  async (size) => {
    await using opened = await openFile(page, { ...size, theme: 'light' })
    for (const theme of themes) {
      await opened.page.emulateMedia({ colorScheme: theme })
      await screenshot(opened.page, `export-${size.width}-${theme}`)
    }
    await openAll(opened.page)
    for (const theme of themes) {
      await opened.page.emulateMedia({ colorScheme: theme })
      await screenshot(opened.page, `export-open-${size.width}-${theme}`)
      expect(await seriousFindings(opened.page, theme)).toEqual([])
    }
    expect(await overflow(opened.page)).toBe(0)
    expect(opened).toMatchObject({ requests: [], problems: [] })
  },
)

it('leads from the tree to a subagent, and back to where it began, by keyboard alone', async () => {
  await using opened = await openFile(page, DESKTOP)
  const { page: shown } = opened
  await shown.keyboard.press('Tab')
  expect(await shown.evaluate('document.activeElement.textContent')).toBe('Skip to the conversation')
  await shown.getByRole('navigation').getByRole('link', { name: 'Map the entry points' }).focus()
  await shown.keyboard.press('Enter')
  const section = shown.getByRole('region', { name: 'Map the entry points' })
  await expect.poll(async () => (await section.boundingBox())!.y).toBeLessThan(100)
  await section.getByRole('link', { name: 'Back to where it started' }).focus()
  await shown.keyboard.press('Enter')
  expect(new URL(shown.url()).hash).toMatch(/^#b0m\d+$/)
  const card = shown.locator('details', { hasText: 'Edit src/auth.ts' }).first()
  await card.locator('summary').focus()
  await shown.keyboard.press('Enter')
  expect(await card.locator('ins').count()).toBeGreaterThan(0)
})

it('is no wider than 320 pixels, and on paper the transcript alone', async () => {
  await using opened = await openFile(page, { width: 320, height: 640, theme: 'light' })
  expect(await overflow(opened.page)).toBe(0)
  await opened.page.emulateMedia({ media: 'print' })
  await screenshot(opened.page, 'export-print')
  expect(await opened.page.locator('footer').isVisible()).toBe(false)
})

it('runs, loads and asks nothing, whatever was written into it', async () => {
  const hostile = withTexts(await everything(), (old, key) =>
    key === 'tool' && old === 'edit' ? old : HOSTILE,
  )
  await using opened = await openFile(user.write('hostile.html', documentHtml(hostile)), DESKTOP)
  await openAll(opened.page)
  for (const link of await opened.page.getByRole('link').all())
    expect(await link.getAttribute('href')).toMatch(/^#/)
  expect(await opened.page.evaluate('window.hits')).toBe(0)
  expect(await opened.page.title()).toContain('<img src=x onerror=hit()>')
  expect(opened).toMatchObject({ requests: [], problems: [] })
})

it('shows ten thousand messages', async () => {
  const document = await everything()
  const [first] = document.messages.filter(({ role }) => role === 'user')
  const messages = Array.from({ length: 10_000 }, (_, i) => ({
    ...first!,
    branches: [],
    content: '',
    id: first!.id,
    created: i,
  }))
  const file = user.write('long.html', documentHtml({ ...document, messages }))
  await using opened = await openFile(file, DESKTOP)
  expect(await opened.page.locator('#b0 > article').count()).toBe(10_000)
  expect(opened.problems).toEqual([])
})

/** In a browser that has no network. `requests` are those for anything but the file. */
async function openFile(file: string, screen: Screen) {
  const { context, page: shown, problems } = await openPage(screen)
  const url = pathToFileURL(file).href
  const requests: string[] = []
  await context.setOffline(true)
  await shown.addInitScript('window.hits = 0; window.hit = () => { window.hits++ }')
  shown.on('request', (request) => {
    const asked = request.url()
    if (asked !== url && !asked.startsWith('data:')) requests.push(asked)
  })
  shown.on('dialog', (dialog) => problems.push(dialog.message()))
  await shown.goto(url)
  return { page: shown, problems, requests, [Symbol.asyncDispose]: () => context.close() }
}

async function openAll(shown: Page): Promise<void> {
  await shown.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
  expect(await shown.locator('details:not([open])').count()).toBe(0)
}

async function overflow(shown: Page): Promise<unknown> {
  return await shown.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

async function screenshot(shown: Page, name: string): Promise<void> {
  const folder = process.env['WEB_SCREENSHOTS']
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await shown.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

const HOSTILE = `<img src=x onerror=hit()>"><svg onload=hit()>' onmouseover='hit()
</title></style></pre><script>hit()</script><iframe src="https://evil.example"></iframe>
<link rel=stylesheet href=https://evil.example/a.css><meta http-equiv=refresh content="0;url=https://evil.example">`

const AUTH = `export function isExpired(token, now) {
  return token.expiresAt < now
}
`
const REPORT = `## What was found

The check is in \`src/auth.ts:2\`, and **two** callers skip it:

- \`login\` trusts the cookie
- \`refresh\` does not look at the expiry

\`\`\`ts
export function isExpired(token: Token, now: number): boolean {
  return token.expiresAt <= now // seconds
}
\`\`\`

| route    | checked |
|----------|---------|
| /login   | yes     |
| /refresh | no      |

Both can be mended in one place.
`
const task = (prompt: string, more: object = {}) => ({
  tool: 'task',
  input: { subagent_type: 'general', description: prompt, prompt: `Do: ${prompt}.`, ...more },
})
const SCRIPT = {
  main: [
    { match: '^Only', text: 'There are two: `login` and `refresh`.' },
    {
      match: '^Is every',
      usage: { input: 8400, output: 380 },
      text: 'I will look at three things side by side.',
      toolCalls: [
        task('Map the entry points', { subagent_type: 'explore' }),
        task('Check the expiry of tokens'),
        task('Run the tests'),
      ],
    },
    {
      toolCalls: [
        { tool: 'read', input: { file_path: 'src/auth.ts' } },
        { tool: 'read', input: { file_path: 'src/none.ts' } },
      ],
    },
    {
      text: 'The comparison is off by one.',
      toolCalls: [
        {
          tool: 'edit',
          input: { file_path: 'src/auth.ts', old_string: 'expiresAt < now', new_string: 'expiresAt <= now' },
        },
      ],
    },
    { text: REPORT },
  ],
  explore: [
    {
      toolCalls: [
        { tool: 'grep', input: { pattern: 'export' } },
        { tool: 'list', input: { path: 'src' } },
      ],
    },
    { text: 'There are two entry points: `login` and `refresh`.' },
  ],
  general: [
    {
      match: 'Run the tests',
      toolCalls: [{ tool: 'bash', input: { command: 'printf "12 passed\\n"; exit 1' } }],
    },
    { match: 'Check the expiry', text: 'The expiry is not checked on refresh.' },
    { text: 'Twelve tests pass, and the program ends with 1.' },
  ],
}

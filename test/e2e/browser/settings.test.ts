import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { TEST_KEY } from '../../support/model-server.ts'

afterAll(closeBrowser)

const REVIEWER = `---
name: reviewer
description: Reviews <img src=x onerror=window.broken=1> after each change.
tools: Read, Bash
---
You review. <script>window.broken = 1</script>
`
const config = {
  limits: { maxTurns: 7 },
  permissions: [{ tool: 'bash', pattern: 'rm *', action: 'deny' }],
}

async function openSettings(tab: string): Promise<ServedPage> {
  const served = await ServedPage.open({}, { config, files: { '.claude/agents/reviewer.md': REVIEWER } })
  await served.page.goto(`${served.url}/settings/${tab}`)
  return served
}

describe('settings', () => {
  it('list the agents, and tell of one what it may do and why, by the keyboard alone', async () => {
    await using served = await openSettings('agents')
    const { page } = served
    const link = page.getByRole('link', { name: /^reviewer/ })
    expect(await link.innerText()).toMatch(/project\n*.*turns[^]*<img src=x onerror=window\.broken=1>/)
    await page.getByRole('link', { name: /^explore.*built-in/s }).waitFor()
    await served.screenshot('settings-agents')
    await link.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/settings\/agents\/reviewer$/)
    const permissions = page.getByRole('region', { name: 'Effective permissions of reviewer' })
    const shell = permissions.getByRole('row').filter({ hasText: 'bash' })
    expect(await shell.innerText()).toMatch(/ask\s+no rule matches, and bash asks by default/)
    const rules = page.getByRole('region', { name: 'Rules for specific calls' })
    expect(await rules.getByRole('row').filter({ hasText: 'rm *' }).innerText()).toMatch(/bash[^]*deny/)
    expect(await page.getByRole('region', { name: 'Instructions' }).innerText()).toContain('<script>')
    await served.screenshot('settings-agent')
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Agents')
    await page.keyboard.press('Enter')
    await expect.poll(() => link.evaluate((element) => element.matches(':focus'))).toBe(true)
    expect(await page.evaluate('window.broken')).toBeUndefined()
    expect(served.problems).toEqual([])
  })

  it('say which provider has a key, and never the key', async () => {
    await using served = await openSettings('models')
    const { page } = served
    const anthropic = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'anthropic' }) })
    await anthropic.getByText('Configured', { exact: true }).waitFor()
    const openai = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'openai', exact: true }) })
    expect(await openai.innerText()).toMatch(/Not configured[^]*OPENAI_API_KEY/)
    expect(await page.content()).not.toContain(TEST_KEY)
    await served.screenshot('settings-models')
    expect(served.problems).toEqual([])
  })

  it('tell the limits and rules in force', async () => {
    await using served = await openSettings('limits')
    const { page } = served
    const limit = page.getByRole('row').filter({ hasText: 'limits.maxTurns' }).first()
    expect(await limit.innerText()).toMatch(/Turns per main run[^]*\b7\b/)
    await served.screenshot('settings-limits')
    await page.getByRole('link', { name: 'Permissions' }).click()
    const rule = page.getByRole('region', { name: 'Rules' }).getByRole('row').filter({ hasText: 'rm *' })
    expect(await rule.innerText()).toMatch(/bash[^]*rm \*[^]*deny/)
    expect(served.problems).toEqual([])
  })

  it('change a key, refuse one that is taken, and switch single letters off', async () => {
    await using served = await openSettings('shortcuts')
    const { page } = served
    const help = page.getByRole('dialog', { name: 'Shortcuts' })
    const key = page.getByRole('button', { name: /^Change the keys of: Show shortcuts/ })
    await key.press('Enter')
    await page.keyboard.press('c')
    await page.getByText('in use: New conversation').waitFor()
    expect(await key.innerText()).toBe('?')
    await key.press('Enter')
    await page.keyboard.press('y')
    await expect.poll(() => key.innerText()).toBe('Y')
    await page.keyboard.press('y')
    await help.waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => key.evaluate((element) => element.matches(':focus'))).toBe(true)
    await page.getByRole('switch', { name: /^Keys without Ctrl/ }).press('Space')
    await page.getByRole('switch', { name: /^Keys without Ctrl/ }).press('y')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Palette' }).waitFor()
    expect(await help.count()).toBe(0)
    expect(served.problems).toEqual([])
  })

  it('keep the theme that is chosen', async () => {
    await using served = await openSettings('appearance')
    const { page } = served
    await page.getByRole('radio', { name: 'System' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    await page.reload()
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    expect(await page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true)
    expect(served.problems).toEqual([])
  })

  it(
    'have no serious finding of axe on any page, at any size and in both themes',
    async () => {
      await using served = await openSettings('agents')
      const { page } = served
      for (const [tab, heading] of PAGES) {
        await page.goto(`${served.url}/settings/${tab}`)
        await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
        await page.getByText('Loading…').waitFor({ state: 'detached' })
        expect(await served.lookAtEverySize(`settings-${tab.replace('/', '-')}`)).toEqual([])
      }
      expect(served.problems).toEqual([])
    },
    MANY_SCREENS_MS,
  )
})

/** On a busy machine axe takes a second for each look. */
const MANY_SCREENS_MS = 180_000

const PAGES = [
  ['agents', 'Agents'],
  ['agents/reviewer', 'reviewer'],
  ['models', 'Models & keys'],
  ['permissions', 'Permissions'],
  ['limits', 'Limits & budgets'],
  ['appearance', 'Appearance'],
  ['shortcuts', 'Shortcuts'],
] as const

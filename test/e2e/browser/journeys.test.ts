import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { bash, task, waits, WAITS_ALLOWED } from '../../support/scripted-tree.ts'

afterAll(closeBrowser)

const usage = { input_tokens: 2400, output_tokens: 180 }

describe('first run', () => {
  it('goes from one press to an answer by three subagents', async () => {
    await using served = await ServedPage.open({}, { files: FILES, config: { model: 'offline' } })
    const { page } = served
    await served.screenshot('home')
    await page.getByRole('button', { name: 'Run the demo' }).click()
    await page.getByRole('heading', { name: '3 agents finished' }).waitFor()
    await answer(page, 'Found and assembled by rules').waitFor()
    expect(
      await page
        .getByRole('region', { name: '3 subagents' })
        .getByRole('button', { name: /^View branch/ })
        .count(),
    ).toBe(3)
    await served.screenshot('demonstration')
    expect(served.problems).toEqual([])
  })
})

describe('a subagent', () => {
  it('is watched live, entered, steered, and left again', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [
          { text: 'I split this.', toolCalls: [task('map'), task('check')], usage },
          { text: 'All is mapped.', usage },
        ],
        'Do map.': [
          { toolCalls: [waits('map')], usage },
          ({ whole }) => ({
            text: whole.includes('the refresh tokens too') ? 'Mapped, refresh tokens too.' : 'Mapped.',
            usage,
          }),
        ],
        'Do check.': [
          { toolCalls: [waits('check')], usage },
          { text: 'Checked.', usage },
        ],
      },
      { config: { permissions: [WAITS_ALLOWED] } },
    )
    const { page } = served
    await served.begin()
    const agents = page.getByRole('region', { name: '2 subagents' })
    await agents.getByText('Running 2 agents').waitFor()
    await agents.getByText('$ sh wait.sh map').first().waitFor()
    await served.screenshot('running')
    const enter = agents.getByRole('button', { name: 'View branch of general: map' })
    await enter.click()
    const composer = page.getByRole('textbox', { name: 'Message @general' })
    await composer.fill('the refresh tokens too')
    await composer.press('Control+Enter')
    await page.getByRole('region', { name: 'Inbox' }).getByText('next turn').waitFor()
    await served.screenshot('subagent')
    served.tree.release('map')
    await page.getByText('Mapped, refresh tokens too.').first().waitFor()
    await page.goBack()
    await agents.getByText('Running 1 of 2 agents').waitFor()
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('View branch of general: map')
    await agents.getByRole('button', { name: /general check/ }).click()
    await agents.getByRole('button', { name: 'Message general: check' }).click()
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Message @general')
    await page.getByRole('button', { name: 'Back', exact: true }).click()
    served.tree.release('check')
    await answer(page, 'All is mapped.').waitFor()
    expect(served.problems).toEqual([])
  })
})

describe('an approval', () => {
  it('of a grandchild is answered from the root, and another tab says who did', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [
          { toolCalls: [task('lead')], usage },
          { text: 'The tests pass.', usage },
        ],
        'Do lead.': [
          { toolCalls: [task('test')], usage },
          { text: 'Led.', usage },
        ],
        'Do test.': [
          { toolCalls: [bash('printf done-by-hand')], usage },
          ({ last }) => ({ text: `It said ${last}`, usage }),
        ],
      },
      { config: { limits: { maxDepth: 2 } } },
    )
    const { page } = served
    const id = await served.begin()
    const bar = page.locator('[data-needs-bar]')
    await bar.getByText('general › general').waitFor()
    const second = await served.anotherTab(`/c/${id}`)
    await second.locator('[data-needs-bar]').waitFor()
    await served.screenshot('approval')
    await bar.getByRole('link', { name: /general › general.*Answer/ }).click()
    await page.getByRole('button', { name: 'Allow once' }).click()
    await page.goBack()
    await second.getByText(/Answered by web/).waitFor()
    await answer(page, 'The tests pass.').waitFor()
    expect(served.tree.of('Do test.').at(-1)?.last).toContain('done-by-hand')
    expect(served.problems).toEqual([])
  })
})

describe('an approval of another conversation', () => {
  it('is a link to it, and never a card here', async () => {
    await using served = await ServedPage.open({
      'Ask me.': [
        { toolCalls: [bash('printf by-hand')], usage },
        ({ last }) => ({ text: `It said ${last}`, usage }),
      ],
      'Go.': [{ text: 'Here I am.', usage }],
    })
    const { page } = served
    const other = await served.begin('Ask me.')
    await page.locator('[data-approval]').waitFor()
    await page.getByRole('button', { name: 'New conversation' }).click()
    await served.begin()
    await answer(page, 'Here I am.').waitFor()
    const asked = page.getByRole('region', { name: 'Needs you in other conversations' })
    await asked.getByText('Ask me.').waitFor()
    expect(await page.locator('[data-approval]').count()).toBe(0)
    await asked.getByRole('link').click()
    expect(new URL(page.url()).pathname).toContain(other)
    await page.getByRole('button', { name: 'Allow once' }).click()
    await answer(page, 'It said by-hand').waitFor()
    expect(served.problems).toEqual([])
  })
})

describe('an approval that two tabs answer at once', () => {
  it('is taken from the one that came first, from wherever it was seen, and the other says so', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [
          { toolCalls: [task('lead')], usage },
          { text: 'It is counted.', usage },
        ],
        'Do lead.': [
          { toolCalls: [task('count')], usage },
          { text: 'Led.', usage },
        ],
        'Do count.': [
          { toolCalls: [bash('printf x >> count.txt')], usage },
          { text: 'Counted.', usage },
        ],
        'Another.': [{ text: 'Here I am.', usage }],
      },
      { config: { limits: { maxDepth: 2 } } },
    )
    const { page } = served
    const id = await served.begin()
    await page.locator('[data-needs-bar]').getByText('general › general').waitFor()
    const root = await served.anotherTab(`/c/${id}`)
    const bar = root.locator('[data-needs-bar]')
    await bar.getByRole('link', { name: /Answer/ }).click()
    const card = root.locator('[data-approval]')
    await card.waitFor()
    const later = Promise.withResolvers<void>()
    await root.route('**/api/approvals/*', (route) => later.promise.then(() => route.continue()))
    const asksLate = root.waitForResponse(/\/api\/approvals\//)

    await page.getByRole('button', { name: 'New conversation' }).click()
    await served.begin('Another.')
    await answer(page, 'Here I am.').waitFor()
    const asked = page.getByRole('region', { name: 'Needs you in other conversations' })
    await asked.getByText('general › general').waitFor()
    await card.getByRole('button', { name: 'Deny', exact: true }).click()
    await asked.getByRole('link').click()
    await page.getByRole('button', { name: 'Allow once' }).click()
    await page.locator('[data-approval]').waitFor({ state: 'detached' })
    later.resolve()

    expect((await asksLate).status()).toBe(409)
    await root.getByText(/Answered by web/).waitFor()
    await root.goBack()
    await answer(root, 'It is counted.').waitFor()
    const notifications = root.getByRole('region', { name: 'Notifications' })
    await notifications.getByText('general is done: Led.').first().waitFor()
    await notifications
      .getByText(/already answered/)
      .first()
      .waitFor()
    expect(readFileSync(join(served.user.directory, 'count.txt'), 'utf8')).toBe('x')
    expect(served.problems).toEqual([])
  })
})

describe('the agents of all conversations', () => {
  it('are seen and cancelled from any of them, and the tab counts those of its own', async () => {
    await using served = await ServedPage.open(
      {
        'Wait there.': [
          { toolCalls: [task('far')], usage },
          { text: 'Far is gone.', usage },
        ],
        'Do far.': [{ toolCalls: [waits('far')], usage }],
        'Go.': [
          { toolCalls: [task('near')], usage },
          { text: 'Near is done.', usage },
        ],
        'Do near.': [
          { toolCalls: [waits('near')], usage },
          { text: 'Near.', usage },
        ],
      },
      { config: { permissions: [WAITS_ALLOWED] } },
    )
    const { page } = served
    const icon = () => page.evaluate(ICON)
    await served.begin('Wait there.')
    await page.getByText('$ sh wait.sh far').first().waitFor()
    await page.getByRole('button', { name: 'New conversation' }).click()
    await expect.poll(icon).not.toContain('<text')
    await served.begin()
    await page.getByText('$ sh wait.sh near').first().waitFor()
    await expect.poll(icon).toContain('>1</text>')
    expect(await page.title()).toBe('◔1 Go. — Offshoot')

    const panel = page.getByRole('region', { name: 'Agents', exact: true })
    await panel.getByRole('switch', { name: 'All conversations' }).press('Space')
    const others = panel.getByRole('region', { name: 'Other conversations, 2' })
    await others.getByText('$ sh wait.sh far').waitFor()
    await served.screenshot('all-agents')
    await others.getByRole('button', { name: 'Cancel general: far' }).click()
    await others.getByText(/Cancelling in \d+ s/).waitFor()
    await panel.getByRole('region', { name: 'Other conversations, 2' }).waitFor({ state: 'detached' })
    served.tree.release('near')
    await answer(page, 'Near is done.').waitFor()
    await expect.poll(icon).not.toContain('<text')
    expect(served.problems).toEqual([])
  })
})

describe('a command in the place of a message', () => {
  it('starts a subagent, opens it by its number, and ends it', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [{ text: 'Here I am.', usage }],
        'look around': [{ toolCalls: [waits('around')], usage }],
      },
      { config: { permissions: [WAITS_ALLOWED] } },
    )
    const { page } = served
    const id = await served.begin()
    await answer(page, 'Here I am.').waitFor()
    const say = async (field: string, text: string) => {
      await page.getByRole('textbox', { name: field }).fill(text)
      await page.keyboard.press('Enter')
    }
    await say('Message…', '/spawn --label scout "look around"')
    await page
      .getByRole('region', { name: 'Subagent', exact: true })
      .getByText('$ sh wait.sh around')
      .waitFor()
    await say('Message…', '/subagents log 1')
    await say('Message @general', '/subagents stop 7')
    await page.getByText('there is no subagent 7; there are 1').first().waitFor()
    await say('Message @general', '/subagents stop 1')
    await page.getByText('1 run cancelled').first().waitFor()
    await page.goto(`${served.url}/c/${id}`)
    await page.getByText(/^general cancelled: scout \(/).waitFor()
    expect(await page.getByRole('log').locator('[data-run]').count()).toBe(1)
    expect(served.tree.of('Go.')).toHaveLength(1)
    expect(served.problems).toEqual([])
  })
})

describe('an interrupt', () => {
  it('pauses, says what is paused, and goes on with Continue', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [
          { toolCalls: [task('long')], usage },
          { text: 'Went on.', usage },
        ],
        'Do long.': [
          { toolCalls: [waits('long')], usage },
          { text: 'Long done.', usage },
        ],
      },
      { config: { permissions: [WAITS_ALLOWED] } },
    )
    const { page } = served
    await served.begin()
    await page.getByText('$ sh wait.sh long').first().waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('status').getByText('Paused', { exact: true }).waitFor()
    await page.getByText('by you; 1 subagent paused').waitFor()
    await served.screenshot('interrupted')
    served.tree.release('long')
    await page.getByRole('status').getByRole('button', { name: 'Continue' }).click()
    await answer(page, 'Went on.').waitFor()
    expect(served.problems).toEqual([])
  })
})

/** The picture of the tab. */
const ICON = `decodeURIComponent(document.querySelector('link[rel=icon]').href)`

function answer(page: Page, text: string) {
  return page.getByRole('article', { name: 'Answer' }).filter({ hasText: text })
}

const FILES = {
  'src/errors.ts': 'export function handleError(error: unknown) {\n  return String(error)\n}\n',
  'src/config.ts': 'export function readConfiguration() {\n  return {}\n}\n',
  'src/config.test.ts':
    "import { readConfiguration } from './config.ts'\n// errors are handled, configuration is read\ntest('configuration is read', () => readConfiguration())\n",
  'README.md': '# Example\n\nA small project.\n',
}

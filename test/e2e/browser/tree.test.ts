import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { bash, task, waits, WAITS_ALLOWED } from '../../support/scripted-tree.ts'

afterAll(closeBrowser)

const usage = { input_tokens: 100, output_tokens: 10 }

describe('the tree of branches', () => {
  it('marks what has ended unseen, shows messages too, and forks from its menu, by keyboard alone', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [
          { text: 'I split this.', toolCalls: [task('one'), task('two')], usage },
          { text: 'Both are back.', usage },
        ],
        'Do one.': [
          { toolCalls: [waits('one')], usage },
          { text: 'One is done.', usage },
        ],
        'Do two.': [
          { toolCalls: [waits('two')], usage },
          { text: 'Two is done.', usage },
        ],
      },
      { config: { permissions: [WAITS_ALLOWED] } },
    )
    const { page } = served
    await served.begin()
    await page.getByText('$ sh wait.sh one').first().waitFor()
    await page.getByRole('tab', { name: 'Tree' }).click()
    const row = (name: RegExp) => page.getByRole('treeitem', { name })
    await row(/one.*Running/).waitFor()
    await row(/two.*Running/).waitFor()
    expect(await row(/Unread/).count()).toBe(0)
    served.tree.release('one')
    await row(/one.*Unread/).waitFor()
    served.tree.release('two')
    await row(/two.*Unread/).waitFor()
    await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'Both are back.' }).waitFor()

    await row(/main/).press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Message @general' }).waitFor()
    await expect.poll(() => row(/one.*Unread/).count()).toBe(0)
    expect(await row(/two.*Unread/).count()).toBe(1)
    await page.keyboard.press('Alt+ArrowUp')
    await page.reload()
    await row(/two.*Unread/).waitFor()
    expect(await row(/one.*Unread/).count()).toBe(0)

    const shows = page.getByRole('combobox', { name: 'What the tree shows' })
    await shows.selectOption('Branches and messages without tools')
    await row(/Agent.*I split this/).waitFor()
    await row(/Agent.*One is done/).waitFor()
    expect(await row(/bash/).count()).toBe(0)
    await shows.selectOption('Branches and all messages')
    await row(/Agent.*bash/)
      .first()
      .waitFor()
    expect(await served.look('tree-messages')).toEqual([])
    await row(/Agent.*One is done/).press('Enter')
    await page.waitForURL(/\/b\/brn_\w+#msg_/)

    await row(/Agent.*Both are back/).focus()
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Fork from here' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => row(/Both are back/).evaluate((it) => it.matches(':focus'))).toBe(true)
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Fork from here' }).press('Enter')
    await page.getByText(/^fork · inherits up to message/).waitFor()
    expect(served.problems).toEqual([])
  })
})

describe('on a phone', () => {
  it('a swipe leads to the subagent beside, and every approval has large buttons', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [{ toolCalls: [task('one'), task('two')], usage }],
        'Do one.': [{ toolCalls: [bash('printf 1')], usage }],
        'Do two.': [{ text: 'Two.', usage }],
      },
      { screen: { width: 390, height: 844, theme: 'light' } },
    )
    const { page } = served
    await served.begin()
    const bar = page.locator('[data-needs-bar]')
    await bar.getByRole('link', { name: /Answer/ }).tap()
    const card = page.locator('[data-approval]')
    for (const name of ['Allow once', 'Allow for this run', 'Deny']) {
      const box = await card.getByRole('button', { name, exact: true }).boundingBox()
      expect(Math.min(box!.width, box!.height), name).toBeGreaterThanOrEqual(44)
    }
    await page.getByText('1 of 2').waitFor()
    await swipe(page, 300, 60)
    await page.getByText('2 of 2').waitFor()
    await swipe(page, 300, 60)
    await swipe(page, 60, 300)
    await page.getByText('1 of 2').waitFor()
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('button', { name: 'Go.' }).tap()
    await page.getByText('Running 1 of 2 agents').waitFor()
    expect(served.problems).toEqual([])
  })
})

/** A finger goes from one place to another, in the middle of the messages. */
async function swipe(page: Page, from: number, to: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y: 500 }] })
  await touch('touchStart', from)
  await touch('touchMove', (from + to) / 2)
  await touch('touchMove', to)
  await touch('touchEnd')
  await session.detach()
}

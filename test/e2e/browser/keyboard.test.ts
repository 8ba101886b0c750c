import { afterAll, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { bash, task, waits, WAITS_ALLOWED } from '../../support/scripted-tree.ts'

afterAll(closeBrowser)

const usage = { input_tokens: 100, output_tokens: 10 }
const FOCUSED = 'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent'

it('a conversation is led by keys alone', async () => {
  await using served = await ServedPage.open(
    {
      'Go.': [
        { toolCalls: [task('one'), task('two')], usage },
        { text: 'Both are back.', usage },
      ],
      'Do one.': [
        { toolCalls: [waits('one')], usage },
        { text: 'One.', usage },
      ],
      'Do two.': [
        { toolCalls: [bash('printf by-hand')], usage },
        { text: 'Two.', usage },
      ],
    },
    { config: { permissions: [WAITS_ALLOWED] } },
  )
  const { page } = served
  const keys = page.keyboard
  const focused = () => page.evaluate(FOCUSED)
  await expect.poll(focused).toBe('Ask about this project, or say what to change')
  await keys.type('Go.')
  await keys.press('Enter')
  await page.locator('[data-needs-bar]').waitFor()

  await keys.press('Alt+ArrowDown')
  await page.getByRole('textbox', { name: 'Message @general' }).waitFor()
  await expect.poll(focused).toBe('@general one')
  await keys.press('Alt+ArrowRight')
  await page.getByText('2 of 2').waitFor()
  await keys.press('Alt+ArrowUp')
  await page.getByText('Running 2 agents').waitFor()

  await keys.press('?')
  await page.getByRole('dialog').waitFor()
  await keys.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await keys.press('Control+k')
  await page.getByRole('dialog').waitFor()
  await keys.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await keys.press('n')
  await keys.press('Enter')
  await expect.poll(focused).toBe('Approval: $ printf by-hand')
  await keys.press('a')
  await page.locator('[data-approval]').waitFor({ state: 'detached' })
  await keys.press('Alt+ArrowUp')
  await page.getByText('Running 1 of 2 agents').waitFor()
  expect(await page.locator('[data-needs-bar]').count()).toBe(0)

  await keys.press('/')
  await keys.type('one thing more')
  await keys.press('Enter')
  const inbox = page.getByRole('region', { name: 'Inbox' })
  await inbox.getByText('1 queued').waitFor()
  await keys.press('ArrowUp')
  await inbox.waitFor({ state: 'detached' })
  expect(await page.getByRole('textbox', { name: 'Message…' }).inputValue()).toBe('one thing more')
  await keys.press('Enter')
  await inbox.getByText('1 queued').waitFor()
  await inbox.getByRole('button', { name: 'Withdraw' }).focus()
  await keys.press('Enter')
  await inbox.waitFor({ state: 'detached' })
  served.tree.release('one')
  await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'Both are back.' }).waitFor()
  expect(served.tree.of('Go.').at(-1)!.whole).not.toContain('one thing more')
  expect(served.problems).toEqual([])
})

it('an approval by keys says nothing to a field that is being written in', async () => {
  await using served = await ServedPage.open({
    'Go.': [
      { toolCalls: [bash('printf by-hand')], usage },
      { text: 'Ended.', usage },
    ],
  })
  const { page } = served
  await served.begin()
  await page.locator('[data-approval]').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('a A d n ? [')
  expect(await page.getByRole('textbox', { name: 'Message…' }).inputValue()).toBe('a A d n ? [')
  expect(await page.locator('[data-approval]').count()).toBe(1)
  expect(served.problems).toEqual([])
})

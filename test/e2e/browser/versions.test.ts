import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'

afterAll(closeBrowser)

const usage = { input_tokens: 100, output_tokens: 10 }

describe('another way', () => {
  it('is taken by editing and by regenerating, and both ways back stay', async () => {
    let answers = 0
    await using served = await ServedPage.open({
      'Which name?': [() => ({ text: `Name ${++answers}.`, usage })],
      'Which short name?': [{ text: 'A short one.', usage }],
    })
    const { page } = served
    await served.begin('Which name?')
    await answer(page, 'Name 1.').waitFor()

    await answer(page, 'Name 1.').hover()
    await page.getByRole('button', { name: 'Regenerate in a new version' }).click()
    await answer(page, 'Name 2.').waitFor()
    const versions = page.getByRole('navigation', { name: 'Versions' })
    await versions.getByText('2/2').waitFor()

    await page.getByRole('article', { name: 'You' }).hover()
    await page.getByRole('button', { name: 'Edit in a new version' }).click()
    await page.getByRole('textbox', { name: 'Edited message' }).fill('Which short name?')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await answer(page, 'A short one.').waitFor()
    await versions.getByText('3/3').waitFor()
    await served.screenshot('versions')

    await versions.getByRole('button', { name: 'Previous version' }).click()
    await answer(page, 'Name 2.').waitFor()
    await versions.getByRole('button', { name: 'Previous version' }).click()
    await answer(page, 'Name 1.').waitFor()
    expect(new URL(page.url()).pathname).not.toContain('/b/')
    expect(served.problems).toEqual([])
  })

  it('is a fork from an old message, which says what it inherits', async () => {
    await using served = await ServedPage.open({
      'First.': [
        { text: 'One.', usage },
        ({ last }) => ({ text: last.includes('Third') ? 'Three.' : 'Two.', usage }),
      ],
    })
    const { page } = served
    const id = await served.begin('First.')
    await answer(page, 'One.').waitFor()
    await send(page, 'Message…', 'Second.')
    await answer(page, 'Two.').waitFor()
    await answer(page, 'One.').hover()
    await answer(page, 'One.').getByRole('button', { name: 'Fork from here' }).click()
    await page.getByText('fork · inherits up to message 2').waitFor()
    const exported = async (format: string) =>
      (await served.user.call(['export', id, '--format', format])).stdout
    expect(await exported('md')).toContain(', from message 2 of main')
    expect(await exported('html')).toContain('</a>: message 2 of main,')
    expect(await answer(page, 'Two.').count()).toBe(0)
    await send(page, 'Message this fork', 'Third.')
    await answer(page, 'Three.').waitFor()
    await served.screenshot('fork')

    await page.getByRole('tab', { name: 'Tree' }).click()
    const tree = page.getByRole('tree', { name: 'Branches' })
    expect(await tree.getByRole('treeitem').count()).toBe(2)
    await tree.getByRole('treeitem').nth(1).press('ArrowUp')
    await page.keyboard.press('Enter')
    await answer(page, 'Two.').waitFor()
    await served.screenshot('tree')
    expect(served.problems).toEqual([])
  })
})

async function send(page: Page, field: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: field }).fill(text)
  await page.keyboard.press('Enter')
}

function answer(page: Page, text: string) {
  return page.getByRole('article', { name: 'Answer' }).filter({ hasText: text })
}

import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { task } from '../../support/scripted-tree.ts'

afterAll(closeBrowser)

const MARKUP = '<img src=x onerror=window.broken=1>'
const actors = {
  'Go.': [{ toolCalls: [task('map'), task(MARKUP)] }, { text: 'All is mapped.' }],
  'Do ': [{ text: 'Mapped.' }],
  'Review.': [{ text: 'Reviewed.' }],
}

async function openConversation(): Promise<ServedPage> {
  const served = await ServedPage.open(actors)
  await served.begin()
  await served.page.getByText('All is mapped.').first().waitFor()
  return served
}

function palette(page: Page) {
  return page.getByRole('dialog', { name: 'Palette' })
}

/** With its keys, and when it is ready to be written in. */
async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await palette(page)
    .getByRole('menuitem', { name: /^explore/ })
    .waitFor()
}

describe('the palette', () => {
  it('goes to a branch, another conversation and an agent by what is written', async () => {
    await using served = await openConversation()
    const { page } = served
    await openPalette(page)
    await served.screenshot('palette')
    await page.keyboard.type('subagent onerror')
    await palette(page).getByRole('menuitem', { name: MARKUP }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/b\/brn_/)
    await page.goto(served.url)
    await served.begin('Review.')
    await page.getByText('Reviewed.').first().waitFor()
    await openPalette(page)
    await page.keyboard.type('go.')
    await palette(page).getByRole('menuitem', { name: /^Go\./ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText('All is mapped.').first().waitFor()
    await openPalette(page)
    await page.keyboard.type('planner')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'planner', level: 1 }).waitFor()
    expect(await page.evaluate('window.broken')).toBeUndefined()
    expect(served.problems).toEqual([])
  })

  it('gets all that is typed after its keys, however late it comes', async () => {
    await using served = await openConversation()
    const { page } = served
    const arrives = Promise.withResolvers<void>()
    await page.route(/palette-.*\.js/, async (route) => {
      await arrives.promise
      await route.continue()
    })
    await page.reload()
    await page.getByText('All is mapped.').first().waitFor()
    const here = page.url()
    await page.keyboard.press('Control+k')
    // Each of them would be a shortcut: C leaves for a new conversation, E edits.
    await page.keyboard.type('ced')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    arrives.resolve()
    await palette(page).waitFor()
    await page.keyboard.type('onversations')
    await expect.poll(() => palette(page).getByRole('searchbox').inputValue()).toBe('conversations')
    expect(page.url()).toBe(here)
    expect(await page.getByRole('textbox', { name: 'Edited message' }).count()).toBe(0)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Conversations', selected: true }).waitFor()
    expect(served.problems).toEqual([])
  })

  it('keeps what is typed while it loads from the field that had the focus; Escape ends that', async () => {
    await using served = await openConversation()
    const { page } = served
    const arrives = Promise.withResolvers<void>()
    await page.route(/palette-.*\.js/, async (route) => {
      await arrives.promise
      await route.continue()
    })
    await page.reload()
    const composer = page.getByRole('textbox', { name: /^Message/ })
    await composer.fill('Before ')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('lost')
    await page.keyboard.press('Escape')
    await page.keyboard.type('and after')
    arrives.resolve()
    expect(await composer.inputValue()).toBe('Before and after')
    expect(await palette(page).count()).toBe(0)
    expect(served.problems).toEqual([])
  })

  it('carries out an action and shows its keys', async () => {
    await using served = await openConversation()
    const { page } = served
    await openPalette(page)
    await page.keyboard.type('timeline')
    const timeline = palette(page).getByRole('menuitem', { name: /^Timeline/ })
    expect(await timeline.innerText()).toContain('G T')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Timeline', selected: true }).waitFor()
    await openPalette(page)
    await page.keyboard.type('dark theme')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    expect(served.problems).toEqual([])
  })

  it('gives the focus back to where it was, and says when nothing is found', async () => {
    await using served = await openConversation()
    const { page } = served
    const composer = page.getByRole('textbox', { name: /^Message/ })
    await composer.focus()
    await openPalette(page)
    await page.keyboard.type('zzz')
    await palette(page).getByText('No results').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await palette(page).waitFor({ state: 'detached' })
    await expect.poll(() => composer.evaluate((element) => element.matches(':focus'))).toBe(true)
    expect(served.problems).toEqual([])
  })

  it('has no serious finding of axe, at any size and in both themes', async () => {
    await using served = await openConversation()
    const { page } = served
    await openPalette(page)
    expect(await served.lookAtEverySize('palette')).toEqual([])
  })
})

describe('the help', () => {
  it('lists every key, and gives the focus back', async () => {
    await using served = await openConversation()
    const { page } = served
    const opener = page.getByRole('button', { name: /^Agents/ }).first()
    await opener.focus()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Shortcuts' })
    await help.getByText('Interrupt this branch').waitFor()
    expect(await help.innerText()).toMatch(/Open command palette\s+Ctrl K/)
    expect(await served.look('shortcuts')).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => opener.evaluate((element) => element.matches(':focus'))).toBe(true)
    expect(served.problems).toEqual([])
  })
})

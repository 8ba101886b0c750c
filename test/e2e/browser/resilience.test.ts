import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { providerEnvironment } from '../../support/model-server.ts'
import { task, waits, WAITS_ALLOWED } from '../../support/scripted-tree.ts'
import { SlowModel } from '../../support/slow-model.ts'

afterAll(closeBrowser)

const usage = { input_tokens: 100, output_tokens: 10 }
const config = { permissions: [WAITS_ALLOWED] }

describe('a page', () => {
  it('loses nothing when it is loaded again while subagents work', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [
          { text: 'I begin.', toolCalls: [task('map')], usage },
          { text: 'Ended.', usage },
        ],
        'Do map.': [
          { toolCalls: [waits('map')], usage },
          { text: 'Mapped.', usage },
        ],
      },
      { config },
    )
    const { page } = served
    await served.begin()
    await page.getByText('$ sh wait.sh map').first().waitFor()
    await page.reload()
    await answer(page, 'I begin.').waitFor()
    await page.getByRole('region', { name: '1 subagent' }).getByText('$ sh wait.sh map').waitFor()
    served.tree.release('map')
    await answer(page, 'Ended.').waitFor()
    expect(served.problems).toEqual([])
  })

  it('loses nothing of a text that goes on while it is loaded again', async () => {
    const words = Array.from({ length: 90 }, (_, index) => `word-${index}.`)
    await using model = await SlowModel.start(words.map((word) => `${word} `))
    await using served = await ServedPage.open(
      {},
      {
        config: { model: 'openai-compatible/slow' },
        env: providerEnvironment('openai-compatible', model.url),
      },
    )
    const { page } = served
    const shown = () => page.getByRole('article', { name: 'Answer' }).innerText()
    await served.begin()
    model.say(30)
    await answer(page, 'word-29.').waitFor()
    const loaded = page.reload()
    model.say(30)
    await loaded
    await answer(page, 'word-59.').waitFor()
    expect(wordsIn(await shown())).toEqual(words.slice(0, 60))
    model.say(30)
    await answer(page, 'word-89.').waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    expect(wordsIn(await shown())).toEqual(words)
    expect(served.problems).toEqual([])
  })

  it('heals by itself when its server is killed and started again', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [
          { toolCalls: [task('map')], usage },
          { text: 'Ended.', usage },
        ],
        'Do map.': [
          { toolCalls: [waits('map')], usage },
          { text: 'Mapped.', usage },
        ],
      },
      { config },
    )
    const { page } = served
    await served.begin()
    await page.getByText('$ sh wait.sh map').first().waitFor()
    await expect.poll(() => page.evaluate(LOADED)).toBe(true)
    await served.crash(async () => {
      await page.getByRole('alert').getByText('Connection to the server lost').waitFor()
      await served.screenshot('lost')
      await page.getByRole('tab', { name: 'Timeline' }).click()
      await page.getByText('Reconnecting to the server').waitFor()
      await served.screenshot('lost-timeline')
      const field = page.getByRole('textbox', { name: 'Message…' })
      await field.fill('one thing more')
      await field.press('Enter')
      await page
        .getByRole('region', { name: 'Notifications' })
        .getByRole('button', { name: 'Close' })
        .waitFor()
      await expect.poll(() => field.inputValue()).toBe('one thing more')
    })
    await page.getByRole('treeitem', { name: /general.*map/ }).waitFor()
    served.tree.release('map')
    await answer(page, 'Ended.').waitFor()
    await expect.poll(() => page.getByText('Connection to the server lost').count()).toBe(0)
    expect(served.problems).toEqual([])
  })
})

describe('five subagents', () => {
  it('lose one that is cancelled, and no other', async () => {
    const names = ['one', 'two', 'three', 'four', 'five']
    await using served = await ServedPage.open(
      {
        'Go.': [
          { toolCalls: names.map((name) => task(name)), usage },
          { text: 'All are back.', usage },
        ],
        ...Object.fromEntries(
          names.map((name) => [
            `Do ${name}.`,
            [
              { toolCalls: [waits(name)], usage },
              { text: `Result of ${name}.`, usage },
            ],
          ]),
        ),
      },
      { config: { ...config, limits: { maxConcurrent: 5 } } },
    )
    const { page } = served
    await served.begin()
    const panel = page.getByRole('region', { name: 'Agents', exact: true })
    await panel.getByRole('region', { name: 'Running, 5' }).waitFor()
    await panel.getByRole('button', { name: 'Cancel general: three' }).click()
    await panel.getByRole('region', { name: 'Done, 1' }).getByText('Cancelled').waitFor()
    await served.screenshot('cancelled')
    for (const name of names) served.tree.release(name)
    await answer(page, 'All are back.').waitFor()
    const told = served.tree.of('Go.').at(-1)!.whole
    expect(names.filter((name) => told.includes(`Result of ${name}.`))).toEqual([
      'one',
      'two',
      'four',
      'five',
    ])
    expect(served.problems).toEqual([])
  })
})

/** What the page fetches when it has nothing else to do: it needs no server for it then. */
const LOADED = `performance.getEntriesByType('resource').some(({ name }) => name.includes('/timeline-tab'))`

function wordsIn(text: string): string[] {
  return text.match(/word-\d+\./g) ?? []
}

function answer(page: Page, text: string) {
  return page.getByRole('article', { name: 'Answer' }).filter({ hasText: text })
}

import { afterAll, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { task } from '../../support/scripted-tree.ts'

afterAll(closeBrowser)

const usage = { input_tokens: 100, output_tokens: 10 }

it('says of each block who wrote it, and lets only a person’s own words be edited', async () => {
  await using served = await ServedPage.open({
    'Go.': [
      { text: 'I ask two.', toolCalls: [task('one'), task('two', { run_in_background: true })], usage },
      { text: 'I have asked.', usage },
      { text: 'Both are back.', usage },
      { text: 'It was asked once more.', usage },
    ],
    'Do one.': [{ text: '**One** is done.', usage }],
    'Do two.': [
      { text: 'Two is done.', usage },
      { text: 'It still is.', usage },
    ],
  })
  const { page } = served
  const answer = (text: string) => page.getByRole('article', { name: 'Answer' }).filter({ hasText: text })
  await served.begin()
  await answer('Both are back.').waitFor()
  const report = page.getByRole('region', { name: 'Report of general: completed' }).first()
  await report.getByRole('button', { name: /Report of general/ }).click()
  await report.getByText('Two is done.').waitFor()
  expect(await page.getByText('subagent_report').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Edit in a new version' }).count()).toBe(1)
  const card = page.locator('[data-run]').filter({ hasText: 'one' }).first()
  await card.getByRole('button', { expanded: false }).first().click()
  await card.getByRole('region', { name: 'Report' }).getByText('One is done.').waitFor()
  expect(await card.getByText('not instructions').count()).toBe(0)
  expect(await served.lookAtEverySize('who-wrote')).toEqual([])

  await page.setViewportSize({ width: 1280, height: 800 })
  const view = page.getByRole('button', { name: /View branch of general: two/ })
  await view.first().click()
  const told = page.getByRole('article', { name: 'main (agent)' })
  await told.getByText('Do two.').waitFor()
  expect(await page.getByRole('button', { name: 'Edit in a new version' }).count()).toBe(0)
  const wake = page.getByRole('checkbox', { name: /The report starts a turn of main/ })
  await wake.waitFor()
  expect(await served.lookAtEverySize('woken')).toEqual([])
  await page.setViewportSize({ width: 1280, height: 800 })
  await wake.uncheck()
  await page.getByRole('textbox', { name: 'Message @general' }).fill('Do two.')
  await page.keyboard.press('Enter')
  await answer('It still is.').waitFor()
  await page.keyboard.press('Alt+ArrowUp')
  await answer('Both are back.').waitFor()
  expect(await page.getByText('It was asked once more.').count()).toBe(0)
  expect(served.problems).toEqual([])
})

it('says of a summary that a model wrote it, in the page, log, show and every export', async () => {
  await using served = await ServedPage.open({})
  const { page, user } = served
  const id = (prefix: string, n: number) => `${prefix}_${String(n).padStart(26, '0')}`
  const times = { created: 1, updated: 1 }
  const said = (n: number, role: string, part: object) => ({
    id: id('msg', n),
    role,
    content: 'x',
    parts: [{ id: id('prt', n), type: 'text', ...part }],
    created: n,
  })
  const messages = [
    said(1, 'user', { text: 'Look.', author: 'person' }),
    said(2, 'assistant', { text: 'I looked.' }),
    said(3, 'user', { text: 'They looked at all.', author: 'runtime', summaryOf: id('msg', 2) }),
  ]
  const about = { version: 2, id: id('cnv', 1), title: 'A summary', directory: user.directory, ...times }
  const imported = await user.call(['import', '-'], { input: JSON.stringify({ ...about, messages }) })
  expect(imported.code).toBe(0)

  const words = 'summary of earlier messages, written by a model'
  await page.goto(`${served.url}/c/${about.id}`)
  const summary = page.getByRole('article', { name: `Runtime, ${words}`, exact: true })
  await summary.getByRole('button', { name: `Runtime, ${words}` }).click()
  await summary.getByText('They looked at all.').waitFor()
  expect(await summary.getByRole('button', { name: 'Edit in a new version' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Edit in a new version' }).count()).toBe(1)
  expect(await page.getByText('They looked at all.').count()).toBe(1)

  const told = async (...args: string[]) => (await user.call(args)).stdout
  expect(await told('log', about.id)).toContain(`Runtime, ${words}: They looked at all.\n`)
  expect(await told('show', about.id, '--messages')).toContain(`Runtime, ${words}: They looked at all.`)
  expect(await told('export', about.id, '--format', 'md')).toContain(`(${words})\n\n> They looked at all.`)
  const html = await told('export', about.id, '--format', 'html')
  expect(html).toContain(`>Summary of earlier messages, written by a model</summary>`)
  expect(served.problems).toEqual([])
})

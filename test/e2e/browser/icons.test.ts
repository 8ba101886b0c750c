import { afterAll, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { task } from '../../support/scripted-tree.ts'

afterAll(closeBrowser)

const agent = (name: string, more: string) =>
  `---\nname: ${name}\ndescription: Looks ${name}.\n${more}---\nYou look.\n`

const files = {
  '.offshoot/agents/scout.md': agent('scout', 'icon: "🔍"\ntitle: "Scout <b>one</b>"\n'),
  '.offshoot/agents/hostile.md': agent(
    'hostile',
    `icon: '<img src=x onerror="window.hits = 1">'\ntitle: "\\u202e<img src=x onerror='window.hits = 1'>"\n`,
  ),
  '.offshoot/agents/plain.md': agent('plain', ''),
}
const MARKS = { scout: '🔍', hostile: '◆', plain: '◆' }

it('the icon of an agent stands in card, panel, tree and catalogue, as text', async () => {
  const names = Object.keys(MARKS)
  const actors = Object.fromEntries(names.map((name) => [`Do ${name} work.`, [{ text: 'Done.' }]]))
  const calls = names.map((name) => task(`${name} work`, { subagent_type: name }))
  await using served = await ServedPage.open(
    { 'Go.': [{ text: 'Split.', toolCalls: calls }, { text: 'All are back.' }], ...actors },
    { files },
  )
  const { page } = served
  await page.addInitScript('window.hits = 0')
  await served.begin()
  await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'All are back.' }).waitFor()
  await page.reload()
  await page.getByRole('tab', { name: 'Tree' }).click()
  for (const [name, mark] of Object.entries(MARKS)) {
    const places = {
      card: page.locator('main [data-run]', { hasText: `${name} work` }),
      panel: page.locator('[data-agent-run]', { hasText: `${name} work` }),
      tree: page.getByRole('treeitem', { name: new RegExp(`${name} work`) }),
    }
    for (const place of Object.values(places))
      await expect.poll(() => place.locator('[data-agent-mark]').first().innerText()).toBe(mark)
  }
  await served.screenshot('icons')
  await page.goto(`${served.url}/settings/agents`)
  for (const [name, mark] of Object.entries(MARKS)) {
    const row = page.locator(`[data-agent=${name}]`)
    expect(await row.locator('[data-agent-mark]').innerText()).toBe(mark)
    expect(await row.innerText()).not.toMatch(/\p{Bidi_Control}/u)
  }
  await served.screenshot('icons-catalogue')
  expect(await page.evaluate('window.hits')).toBe(0)
  expect(served.problems).toEqual([])
})

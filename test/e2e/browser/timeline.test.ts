import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { bash, task, waits, WAITS_ALLOWED } from '../../support/scripted-tree.ts'

afterAll(closeBrowser)

const usage = { input_tokens: 2000, output_tokens: 100 }
const MARKUP = '<img src=x onerror=window.broken=1>'
const HATCHED = 'rect[fill="url(#timeline-hatch)"]'

const actors = {
  'Go.': [
    { text: 'I split this.', toolCalls: [task('map'), task(MARKUP)], usage },
    { text: 'Done.', usage },
  ],
  'Do map.': [
    { toolCalls: [waits('map')], usage },
    { text: 'Mapped.', usage },
  ],
  [`Do ${MARKUP}.`]: [
    { toolCalls: [bash('npm test')], usage },
    { text: 'Checked.', usage },
  ],
}

/** The root waits for both of its subagents: one works, one asks. */
async function openTimeline(): Promise<ServedPage> {
  const served = await ServedPage.open(actors, { config: { permissions: [WAITS_ALLOWED] } })
  const id = await served.begin()
  await served.page.goto(`${served.url}/c/${id}/timeline`)
  await served.page.locator(`[role=treeitem] ${HATCHED}`).waitFor()
  await row(served.page, /general.*map/).waitFor()
  return served
}

/** All its runs end: from then on its time does not become longer. */
async function standStill(served: ServedPage): Promise<void> {
  served.tree.release('map')
  const [approval] = (await served.call('GET', '/approvals')) as { id: string }[]
  await served.call('POST', `/approvals/${approval!.id}`, { answer: 'deny' })
  await row(served.page, /Done.*main/).waitFor()
}

function row(page: Page, name: RegExp) {
  return page.getByRole('treeitem', { name })
}

describe('the timeline', () => {
  it('has a row for each run, hatched where a person is waited for, and follows what happens', async () => {
    await using served = await openTimeline()
    const { page } = served
    expect(await page.getByRole('treeitem').allInnerTexts()).toHaveLength(3)
    expect(await row(page, /Waiting for you/).innerText()).toContain(MARKUP)
    const region = page.getByRole('region', { name: 'Timeline' })
    expect(await region.getByText('3 runs').innerText()).toBe('3 runs')
    await row(page, /Running.*map/)
      .getByText(/ · 2\.1k · \$0\.\d/)
      .waitFor()
    await served.screenshot('timeline')
    await standStill(served)
    await row(page, /Done.*general.*map/).waitFor()
    const costs = await page.getByRole('treeitem').evaluateAll((rows) => rows.map((each) => each.textContent))
    expect(costs.every((text) => /\$0\.\d+/.test(text ?? ''))).toBe(true)
    expect(await page.evaluate('window.broken')).toBeUndefined()
    expect(served.problems).toEqual([])
  })

  it('says of a run how its last answer ended', async () => {
    const cut = { 'Go.': [{ text: 'The first half of', usage, finishReason: 'length' }] }
    await using served = await ServedPage.open(cut)
    const { page } = served
    const id = await served.begin()
    await page.goto(`${served.url}/c/${id}/timeline`)
    const paused = row(page, /Paused \(limit: max output tokens\).*main/)
    await paused.click()
    const details = page.getByRole('region', { name: /^main: / })
    await details.getByText('ended with: max output tokens').waitFor()
    expect(await served.lookAtEverySize('cut-answer')).toEqual([])
    expect(served.problems).toEqual([])
  })

  it('tells in its table what it draws, each run counted once', async () => {
    await using served = await openTimeline()
    const { page } = served
    served.tree.release('map')
    await row(page, /Done.*general.*map/).waitFor()
    await page.getByRole('switch', { name: 'Show as table' }).press('Space')
    const grid = page.getByRole('treegrid', { name: 'Runs' })
    const input = await grid.locator('tbody tr td:nth-child(8)').allInnerTexts()
    expect(input.map((text) => Number(text.replaceAll(',', '')))).toEqual([2000, 4000, 2000])
    await page.getByText('8.0k in').waitFor()
    expect(await grid.locator('tbody tr').evaluateAll((rows) => rows.map((each) => each.ariaLevel))).toEqual([
      '1',
      '2',
      '2',
    ])
    await served.screenshot('timeline-table')
    expect(served.problems).toEqual([])
  })

  it('is read, folded and zoomed with the keyboard alone', async () => {
    await using served = await openTimeline()
    const { page } = served
    await row(page, /main/).focus()
    await page.keyboard.press('ArrowLeft')
    expect(await page.getByRole('treeitem').count()).toBe(1)
    await page.keyboard.press('ArrowRight')
    expect(await page.getByRole('treeitem').count()).toBe(3)
    const start = page.getByRole('slider', { name: 'Start of the visible range' })
    const begin = await start.getAttribute('aria-valuetext')
    await page.keyboard.press('+')
    await expect.poll(() => start.getAttribute('aria-valuetext')).not.toBe(begin)
    await page.keyboard.press('0')
    await expect.poll(() => start.getAttribute('aria-valuetext')).toBe(begin)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const details = page.getByRole('region', { name: 'general: map' })
    await expect.poll(() => details.evaluate((element) => element.matches(':focus'))).toBe(true)
    await details.getByText('Do map.').waitFor()
    await details.getByText(/2,000 in/).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => row(page, /general.*map/).evaluate((it) => it.matches(':focus'))).toBe(true)
    expect(await details.count()).toBe(0)
    expect(served.problems).toEqual([])
  })

  it('moves through the rows and cells of its table with arrow keys', async () => {
    await using served = await openTimeline()
    const { page } = served
    await page.getByRole('switch', { name: 'Show as table' }).press('Space')
    await page.getByRole('treegrid').locator('tbody tr').first().focus()
    const focused = () => page.evaluate('document.activeElement.innerText.trim()')
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toMatch(/^◆main/) // behind the icon of an agent that has none of its own
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toMatch(/^(Running|Waiting)/)
    await page.keyboard.press('End')
    expect(await focused()).toMatch(/%$|–/)
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => page.getByRole('treegrid').locator('tbody tr').count()).toBe(1)
    expect(served.problems).toEqual([])
  })

  it('opens a branch at the point, and comes back', async () => {
    await using served = await openTimeline()
    const { page } = served
    await row(page, /general.*map/).click()
    await page.getByRole('button', { name: 'Open at this point' }).click()
    await page.waitForURL(/\/b\/brn_\w+#msg_/)
    await page.getByRole('textbox', { name: 'Message @general' }).waitFor()
    await page.goBack()
    await row(page, /general.*map/).waitFor()
    expect(served.problems).toEqual([])
  })

  it('shows a part of the time where it is dragged over the minimap', async () => {
    await using served = await openTimeline()
    const { page } = served
    await standStill(served)
    const end = page.getByRole('slider', { name: 'End of the visible range' })
    const box = (await end.locator('..').boundingBox())!
    const y = box.y + box.height / 2
    await page.mouse.move(box.x + box.width * 0.25, y)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.5, y, { steps: 4 })
    await page.mouse.up()
    const whole = Number(await end.getAttribute('aria-valuemax'))
    const share = Number(await end.getAttribute('aria-valuenow')) / whole
    expect(share).toBeGreaterThan(0.4)
    expect(share).toBeLessThan(0.6)
    await page.getByRole('button', { name: 'Zoom to fit' }).click()
    await expect
      .poll(async () => Number(await end.getAttribute('aria-valuenow')))
      .toBeGreaterThanOrEqual(whole)
    expect(served.problems).toEqual([])
  })

  it('has no serious finding of axe, at any size and in both themes', async () => {
    await using served = await openTimeline()
    const { page } = served
    await row(page, /general.*map/).click()
    await page.getByRole('region', { name: 'general: map' }).waitFor()
    expect(await served.lookAtEverySize('timeline')).toEqual([])
    await page.getByRole('switch', { name: 'Show as table' }).press('Space')
    await page.getByRole('treegrid', { name: 'Runs' }).waitFor()
    expect(await served.look('timeline-table')).toEqual([])
  })
})

import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { bash, task, waits, WAITS_ALLOWED } from '../../support/scripted-tree.ts'

afterAll(closeBrowser)

const usage = { input_tokens: 2400, output_tokens: 180 }
const cards = (page: Page) => page.locator('[data-approval], [data-question]')
const lines = (page: Page) => page.locator('[data-ask-line]')
const say = async (page: Page, text: string) => {
  await page.getByRole('textbox', { name: 'Message…' }).fill(text)
  await page.keyboard.press('Enter')
}

describe('a question', () => {
  it('has its card at the call that asks, and one line in each branch above', async () => {
    await using served = await ServedPage.open({
      'Go.': [
        { toolCalls: [task('test')], usage },
        { text: 'The tests pass.', usage },
      ],
      'Do test.': [
        { toolCalls: [bash('printf by-hand')], usage },
        { text: 'Tested.', usage },
      ],
    })
    const { page } = served
    await served.begin()
    const bar = page.locator('[data-needs-bar]')
    await bar.getByRole('link', { name: /#1 main › general.*\$ printf by-hand/ }).waitFor()
    expect(await cards(page).count()).toBe(0)
    await served.screenshot('asked-above')
    // once in the bar, once in the list of the panel
    expect(await lines(page).count()).toBe(2)
    await bar.getByRole('link').click()
    await cards(page).waitFor()
    expect(await cards(page).count()).toBe(1)
    expect(await page.locator('[data-transcript] [data-approval]').count()).toBe(1)
    await cards(page)
      .getByText(/^runs in a sandbox: no network, writes only in /)
      .waitFor()
    await page.getByText('sandbox: no network', { exact: true }).waitFor()
    expect(await bar.count()).toBe(0)
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Approval: $ printf by-hand')
    await served.screenshot('asked-here')
    await page.keyboard.press('a')
    await page.getByText('Tested.').first().waitFor()
    expect(served.problems).toEqual([])
  })

  it('of ask_user stands at its call, with no picture of work', async () => {
    await using served = await ServedPage.open({
      'Go.': [
        {
          toolCalls: [{ tool: 'ask_user', input: { question: 'Which way?', options: ['left', 'right'] } }],
          usage,
        },
        ({ last }) => ({ text: `It is ${last}.`, usage }),
      ],
    })
    const { page } = served
    await served.begin()
    const transcript = page.locator('[data-transcript]')
    const card = transcript.getByRole('region', { name: 'Question: Which way?' })
    await card.waitFor()
    expect(await page.locator('[data-transcript] .spin').count()).toBe(0)
    await transcript.getByText('needs you').waitFor()
    expect(await cards(page).count()).toBe(1)
    await served.screenshot('question')
    await card.getByRole('button', { name: 'left' }).click()
    await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'It is left.' }).waitFor()
    await transcript.getByText('You answered: left').waitFor()
    await served.screenshot('question-answered')
    expect(served.problems).toEqual([])
  })

  it('that is scrolled out of view has a line that leads back to it', async () => {
    await using served = await ServedPage.open({
      'Go.': [
        {
          text: Array.from({ length: 80 }, (_, i) => `Paragraph ${i}.`).join('\n\n'),
          toolCalls: [bash('printf x')],
          usage,
        },
        { text: 'Done.', usage },
      ],
    })
    const { page } = served
    await served.begin()
    await cards(page).waitFor()
    await page.evaluate(`document.querySelector('[data-transcript]').scrollTo({ top: 0 })`)
    const line = page.locator('[data-needs-bar]').getByRole('link')
    await line.waitFor()
    await line.click()
    await page.locator('[data-needs-bar]').waitFor({ state: 'detached' })
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Approval: $ printf x')
    expect(served.problems).toEqual([])
  })
})

describe('/approve', () => {
  it('takes a number that stays when another question is answered, and refuses one that is answered', async () => {
    await using served = await ServedPage.open({
      'Go.': [
        { toolCalls: [task('one'), task('two'), task('three')], usage },
        { text: 'All are back.', usage },
      ],
      'Do one.': [
        { toolCalls: [bash('printf first')], usage },
        { text: 'One.', usage },
      ],
      'Do two.': [
        { toolCalls: [bash('printf second')], usage },
        { text: 'Two.', usage },
      ],
      'Do three.': [
        { toolCalls: [bash('printf third')], usage },
        { text: 'Three.', usage },
      ],
    })
    const { page } = served
    const id = await served.begin()
    await expect.poll(() => page.locator('[data-needs-bar] [data-ask-line]').count()).toBe(3)
    const asks = (await served.call('GET', `/conversations/${id}/asks`)) as readonly Ask[]
    expect(asks.map(({ number }) => number)).toEqual([1, 2, 3])
    await served.screenshot('three-asks')
    // somebody answers the first elsewhere: the others keep their numbers
    await served.call('POST', `/approvals/${asks[0]!.id}`, { answer: 'deny', by: 'a terminal' })
    await expect.poll(() => page.locator('[data-needs-bar] [data-ask-line]').count()).toBe(2)
    await say(page, '/approve 1')
    await page.getByText(`#1 (${asks[0]!.title}) was already answered: deny, by a terminal`).first().waitFor()
    await say(page, '/approve 4')
    await page.getByText('there is no approval or question #4').first().waitFor()
    await page.getByRole('textbox', { name: 'Message…' }).fill('')
    await say(page, '/approve #2')
    await expect
      .poll(
        async () => ((await served.call('GET', `/conversations/${id}/asks?number=2`)) as readonly Ask[])[0],
      )
      .toMatchObject({ answer: 'once', title: asks[1]!.title })
    const [third] = (await served.call('GET', `/conversations/${id}/asks?number=3`)) as readonly Ask[]
    expect(third).toMatchObject({ answer: null, id: asks[2]!.id })
    expect(served.problems).toEqual([])
  })
})

interface Ask {
  readonly id: string
  readonly number: number
  readonly title: string
  readonly answer: string | null
}

describe('a change', () => {
  const FILE = Array.from({ length: 120 }, (_, i) => `export const value${i + 1} = ${i + 1}`).join('\n')

  it('is shown once, with the line numbers of its file, when it is asked for and when it is made', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [
          { toolCalls: [{ tool: 'read', input: { file_path: 'src/values.ts' } }], usage },
          {
            toolCalls: [
              {
                tool: 'edit',
                input: {
                  file_path: 'src/values.ts',
                  old_string: 'export const value90 = 90',
                  new_string: 'export const value90 = 9000',
                },
              },
            ],
            usage,
          },
          { text: 'Changed.', usage },
        ],
      },
      { files: { 'src/values.ts': FILE } },
    )
    const { page } = served
    await served.begin()
    const card = page.locator('[data-approval]')
    await card.waitFor()
    const regions = page.locator('[data-transcript] [role=region]:has([data-diff])')
    expect(await regions.count()).toBe(1)
    expect(await page.evaluate(ROWS)).toEqual(CHANGE)
    await expect.poll(() => regions.locator('[style*="color"]').count()).toBeGreaterThan(0)
    expect(await served.lookAtEverySize('diff-asked')).toEqual([])
    await card.getByRole('button', { name: 'Allow once' }).click()
    await page.getByText('Changed.').first().waitFor()
    await page.getByRole('button', { name: /^Edit src\/values\.ts/ }).click()
    expect(await regions.count()).toBe(1)
    expect(await page.evaluate(ROWS)).toEqual(CHANGE)
    expect(await page.getByText(/No newline|\+\+\+ b\//).count()).toBe(0)
    expect(await served.lookAtEverySize('diff-made')).toEqual([])
    expect(served.problems).toEqual([])
  }, 120_000)
})

const CHANGE = [
  '87 context export const value87 = 87',
  '88 context export const value88 = 88',
  '89 context export const value89 = 89',
  '90 removed export const value90 = 90',
  '90 added export const value90 = 9000',
  '91 context export const value91 = 91',
  '92 context export const value92 = 92',
  '93 context export const value93 = 93',
]

/** Number, kind and text of each line of the change that is shown. */
const ROWS = `[...document.querySelectorAll('[data-transcript] [data-diff]')].map((row) =>
  [row.children[0].textContent, row.dataset.diff, row.children[2].textContent].join(' '))`

describe('a cancel', () => {
  const actors = {
    'Go.': [
      { toolCalls: [task('long')], usage },
      { text: 'It is over.', usage },
    ],
    'Do long.': [
      { toolCalls: [waits('long')], usage },
      { toolCalls: [waits('again')], usage },
      { text: 'Long done.', usage },
    ],
  }
  const config = { permissions: [WAITS_ALLOWED] }

  it('stops at once, can be undone for ten seconds, and is sent after them', async () => {
    await using served = await ServedPage.open(actors, { config })
    const { page } = served
    const id = await served.begin()
    await page.getByText('$ sh wait.sh long').first().waitFor()
    const panel = page.getByRole('region', { name: 'Agents', exact: true })
    await panel.getByRole('button', { name: 'Cancel general: long' }).click()
    await panel.getByText(/Cancelling in \d+ s/).waitFor()
    await expect.poll(() => statusOf(served, id)).toBe('paused')
    expect(served.tree.commands()).toEqual([])
    await served.screenshot('cancelling')
    await panel.getByRole('button', { name: 'Undo cancel of general: long' }).click()
    await page.getByText('$ sh wait.sh again').first().waitFor()

    await panel.getByRole('button', { name: 'Cancel general: long' }).click()
    await expect.poll(() => statusOf(served, id), { timeout: 20_000 }).toBe('cancelled')
    await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'It is over.' }).waitFor()
    expect(served.problems).toEqual([])
  }, 60_000)

  it('is sent at once where its page is closed before', async () => {
    await using served = await ServedPage.open(actors, { config })
    const { page } = served
    const id = await served.begin()
    await page.getByText('$ sh wait.sh long').first().waitFor()
    const panel = page.getByRole('region', { name: 'Agents', exact: true })
    await panel.getByRole('button', { name: 'Cancel general: long' }).click()
    await expect.poll(() => statusOf(served, id)).toBe('paused')
    await page.goto('about:blank')
    await expect.poll(() => statusOf(served, id), { timeout: 5000 }).toBe('cancelled')
  })

  it('is not sent where somebody else continues the run', async () => {
    await using served = await ServedPage.open(actors, { config })
    const { page } = served
    const id = await served.begin()
    await page.getByText('$ sh wait.sh long').first().waitFor()
    const panel = page.getByRole('region', { name: 'Agents', exact: true })
    await panel.getByRole('button', { name: 'Cancel general: long' }).click()
    await expect.poll(() => statusOf(served, id)).toBe('paused')
    await served.call('POST', `/runs/${(await childOf(served, id)).id}/continue`)
    await page.getByText('general was not cancelled because it was continued').first().waitFor()
    served.tree.release('again')
    await expect.poll(() => statusOf(served, id)).toBe('completed')
    expect(served.problems).toEqual([])
  }, 60_000)

  it('is not sent by a page that is left where somebody else has continued the run', async () => {
    await using served = await ServedPage.open(actors, { config })
    const { page } = served
    const id = await served.begin()
    await page.getByText('$ sh wait.sh long').first().waitFor()
    const panel = page.getByRole('region', { name: 'Agents', exact: true })
    await panel.getByRole('button', { name: 'Cancel general: long' }).click()
    await page.getByText('general is stopping and will be cancelled in 10 s').first().waitFor()
    await expect.poll(() => statusOf(served, id)).toBe('paused')
    await served.call('POST', `/runs/${(await childOf(served, id)).id}/continue`)
    await page.getByText('$ sh wait.sh again').first().waitFor()
    await page.goto('about:blank')
    served.tree.release('again')
    await expect.poll(() => statusOf(served, id)).toBe('completed')
  }, 60_000)

  it('that could not be undone for want of a server is still undone by the toast that says so', async () => {
    await using served = await ServedPage.open(actors, { config })
    const { page } = served
    const id = await served.begin()
    await page.getByText('$ sh wait.sh long').first().waitFor()
    const panel = page.getByRole('region', { name: 'Agents', exact: true })
    await panel.getByRole('button', { name: 'Cancel general: long' }).click()
    await expect.poll(() => statusOf(served, id)).toBe('paused')
    const toasts = page.getByRole('region', { name: 'Notifications' })
    await page.route('**/api/branches/*/continue', (route) => route.abort())
    await panel.getByRole('button', { name: 'Undo cancel of general: long' }).click()
    await toasts.getByText('general was not cancelled and stays paused').first().waitFor()
    expect(await toasts.getByText('will be cancelled in 10 s').count()).toBe(0)
    await page.unroute('**/api/branches/*/continue')
    await toasts.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('$ sh wait.sh again').first().waitFor()
    served.tree.release('again')
    await expect.poll(() => statusOf(served, id)).toBe('completed')
  }, 60_000)
})

describe('a pause', () => {
  it('is seen the moment it is asked for, in panel, card and header', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [
          { toolCalls: [task('long')], usage },
          { text: 'It is over.', usage },
        ],
        'Do long.': [
          { toolCalls: [waits('long')], usage },
          { text: 'Long done.', usage },
        ],
      },
      { config: { permissions: [WAITS_ALLOWED] } },
    )
    const { page } = served
    const id = await served.begin()
    await page.getByText('$ sh wait.sh long').first().waitFor()
    const agents = page.getByRole('region', { name: '1 subagent' })
    await agents.getByRole('button', { name: /general long/ }).click()
    const answered = Promise.withResolvers<void>()
    await page.route('**/api/runs/*/pause', (route) => answered.promise.then(() => route.continue()))
    await agents.getByRole('button', { name: 'Pause general: long' }).click()
    // in card and panel, before the server has said anything
    await expect.poll(() => page.getByRole('button', { name: 'Pausing general: long' }).count()).toBe(2)
    await served.screenshot('pausing')
    await agents.getByRole('button', { name: /^View branch/ }).click()
    await page.locator('main header').getByRole('button', { name: 'Pausing general: long' }).waitFor()
    const isAsked = page.waitForResponse(/\/api\/runs\/[^/]+\/pause$/)
    answered.resolve()
    await isAsked
    served.tree.release('long')
    await expect.poll(() => statusOf(served, id)).toBe('paused')
    await page.locator('main header').getByRole('button', { name: 'Continue general: long' }).click()
    await expect.poll(() => statusOf(served, id)).toBe('completed')
    expect(served.problems).toEqual([])
  })
})

interface Child {
  readonly id: string
  readonly status: string
}

async function childOf(served: ServedPage, id: string): Promise<Child> {
  const runs = (await served.call('GET', `/runs?conversation=${id}&status=all`)) as readonly (Child & {
    readonly depth: number
  })[]
  return runs.find(({ depth }) => depth === 1)!
}

async function statusOf(served: ServedPage, id: string): Promise<string> {
  return (await childOf(served, id)).status
}

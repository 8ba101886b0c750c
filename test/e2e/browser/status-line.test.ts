import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { task, waits, WAITS_ALLOWED } from '../../support/scripted-tree.ts'

afterAll(closeBrowser)

const usage = { input_tokens: 100, output_tokens: 10 }
const config = { permissions: [WAITS_ALLOWED] }
const background = (name: string) => task(name, { run_in_background: true })

const statusOfMain = (served: ServedPage) => served.page.locator('[data-status-line]')

/** What another process says of a branch. */
async function psLine(served: ServedPage, name: string): Promise<string> {
  const { stdout } = await served.user.call(['ps', '--all'])
  return stdout.split('\n').find((line) => line.includes(` ${name} `)) ?? ''
}

describe('the status line of the main branch', () => {
  it('counts the subagents that are left, live and after a reload, as ps does', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [
          { toolCalls: ['one', 'two', 'three'].map((name) => task(name)), usage },
          { text: 'All are back.', usage },
        ],
        'Do one.': [{ toolCalls: [waits('one')], usage }],
        'Do two.': [{ toolCalls: [waits('two')], usage }],
        'Do three.': [
          { toolCalls: [waits('three')], usage },
          { text: 'Three.', usage },
        ],
      },
      { config },
    )
    const { page } = served
    await served.begin()
    await page.getByText('Running 3 agents').waitFor()
    const status = statusOfMain(served)
    await status.getByText('Waiting for 3 subagents').waitFor()
    for (const name of ['one', 'two']) {
      await page.getByText(`$ sh wait.sh ${name}`).first().waitFor()
      await page
        .getByRole('button', { name: `Cancel general: ${name}` })
        .first()
        .click()
      await page
        .getByText(/Cancelled: by you/)
        .first()
        .waitFor()
    }
    const words = 'Waiting for 1 of 3 subagents: 2 cancelled'
    await expect.poll(() => status.innerText()).toContain(words)
    expect(await served.lookAtEverySize('status-main')).toEqual([])
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.reload()
    await expect.poll(() => status.innerText()).toContain(words)
    expect(await psLine(served, 'main')).toContain(words)
    served.tree.release('three')
    await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'All are back.' }).waitFor()
    await status.getByText('Done').waitFor()
    expect(served.problems).toEqual([])
  })

  it('says what happens now, not the tool of before', async () => {
    await using served = await ServedPage.open(
      { 'Go.': [{ toolCalls: [waits('one')], usage }, 'never'] },
      { config },
    )
    const { page } = served
    await served.begin()
    const status = statusOfMain(served)
    await expect.poll(() => status.innerText()).toContain('Running: $ sh wait.sh one')
    served.tree.release('one')
    await expect.poll(() => status.innerText()).toContain('Running: Thinking')
    await page.reload()
    await expect.poll(() => status.innerText()).toContain('Running: Thinking')
    expect(await psLine(served, 'main')).toContain('Running: Thinking')
    expect(served.problems).toEqual([])
  })

  it('names the provider that refuses, and when it is asked again', async () => {
    await using served = await ServedPage.open(
      { 'Go.': [{ error: { status: 429, retryAfter: 300 } }] },
      { config },
    )
    const { page } = served
    await served.begin()
    const status = statusOfMain(served)
    const words = /Waiting for the provider: anthropic is paused: .*tries again in [45]m/s
    await expect.poll(() => status.innerText()).toMatch(words)
    await page.reload()
    await expect.poll(() => status.innerText()).toMatch(words)
    expect(await psLine(served, 'main')).toMatch(words)
    expect(await served.look('status-provider')).toEqual([])
    expect(served.problems).toEqual([])
  })

  it('of a run that is done says which subagents are paused, and continues them', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [
          { toolCalls: [background('one')], usage },
          { text: 'I am done.', usage },
          { text: 'It is back.', usage },
        ],
        'Do one.': [
          { toolCalls: [waits('one')], usage },
          { text: 'One.', usage },
        ],
      },
      { config },
    )
    const { page } = served
    await served.begin()
    await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'I am done.' }).waitFor()
    await page.getByText('$ sh wait.sh one').first().waitFor()
    const status = statusOfMain(served)
    await expect.poll(() => status.innerText()).toContain('Done: 1 subagent still running')
    await page.getByRole('button', { name: 'Pause general: one' }).first().click()
    const pausing = page.getByText('asked by you; first: $ sh wait.sh one')
    await pausing.first().waitFor()
    await page.reload()
    await pausing.first().waitFor()
    expect(await psLine(served, 'one')).toContain('Pausing: asked by you; first: $ sh wait.sh one')
    served.tree.release('one')
    await expect.poll(() => status.innerText()).toContain('Done: 1 subagent paused')
    await page.reload()
    await expect.poll(() => status.innerText()).toContain('Done: 1 subagent paused')
    const list = page.getByRole('navigation', { name: 'Conversations and branches' })
    await list.getByTitle('Completed: 1 subagent paused').waitFor()
    await status.getByRole('button', { name: 'Continue general' }).click()
    await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'It is back.' }).waitFor()
    expect(served.problems).toEqual([])
  })
})

describe('the bar of a branch that has stopped', () => {
  it('names what still runs below it and what is paused there, as ps and ls do', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [
          { toolCalls: [background('one')], usage },
          { text: 'It is back.', usage },
        ],
        'Do one.': [
          { toolCalls: [waits('one')], usage },
          { text: 'One.', usage },
        ],
      },
      { config },
    )
    const { page } = served
    const { conversationId: id } = (await served.call('POST', '/conversations', {
      text: 'Go.',
      maxTurns: 1,
    })) as { readonly conversationId: string }
    await page.goto(`${served.url}/c/${id}`)
    const bar = page.getByRole('status').filter({ has: page.getByRole('button', { name: 'Continue' }) })
    await expect.poll(() => bar.innerText()).toMatch(/Paused[^]*; 1 subagent still running/)
    expect(await psLine(served, 'main')).toMatch(/Paused: .*; 1 subagent still running/)
    expect(await left(served, id)).toEqual(['1 subagent still running', true])
    await page.reload()
    await expect.poll(() => bar.innerText()).toMatch(/Paused[^]*; 1 subagent still running/)
    expect(await served.look('bar-running-below')).toEqual([])

    await bar.getByRole('button', { name: 'Pause all' }).click()
    served.tree.release('one')
    await expect.poll(() => bar.innerText()).toMatch(/Paused[^]*; 1 subagent paused/)
    expect(await bar.getByRole('button', { name: 'Pause all' }).count()).toBe(0)
    expect(await psLine(served, 'main')).toMatch(/Paused: .*; 1 subagent paused/)
    expect(await left(served, id)).toEqual(['1 subagent paused', true])
    const list = page.getByRole('navigation', { name: 'Conversations and branches' })
    await list.getByTitle('Paused: 1 subagent paused').waitFor()
    expect(served.problems).toEqual([])
  })
})

/** What the API says is left of a conversation, and whether `ls` says it too. */
async function left(served: ServedPage, id: string): Promise<[string | null, boolean]> {
  const rows = (await served.call('GET', '/conversations')) as readonly { id: string; left: string | null }[]
  const words = rows.find((each) => each.id === id)?.left ?? null
  const line = (await served.user.call(['ls'])).stdout.split('\n').find((each) => each.startsWith(id))
  return [words, line?.includes(`: ${words}  `) ?? false]
}

describe('the card of a subagent', () => {
  it('is of the run that its call started, whatever was said to the subagent later', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [
          { toolCalls: [task('one')], usage },
          { text: 'All are back.', usage },
        ],
        'Do one.': [
          { text: 'First report.', usage },
          { text: 'Second report.', usage },
        ],
      },
      { config },
    )
    const { page } = served
    const id = await served.begin()
    await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'All are back.' }).waitFor()
    const card = page.getByRole('region', { name: '1 subagent' })
    await card.getByText('First report.').waitFor()
    const runs = () => served.call('GET', `/runs?conversation=${id}&status=all`) as Promise<readonly Listed[]>
    const child = (await runs()).find(({ depth }) => depth === 1)!
    await served.call('POST', `/branches/${child.branchId}/messages`, { text: 'Again.', wake: false })
    await expect
      .poll(
        async () =>
          (await runs()).filter(({ depth, status }) => depth === 1 && status === 'completed').length,
      )
      .toBe(2)
    await page.reload()
    await card.getByText('First report.').waitFor()
    expect(await card.getByText('Second report.').count()).toBe(0)
  })
})

interface Listed {
  readonly branchId: string
  readonly depth: number
  readonly status: string
}

describe('a tree that was interrupted', () => {
  it('has no card that says finished, and no step that still works', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [{ toolCalls: ['one', 'two'].map((name) => task(name)), usage }],
        'Do one.': [{ toolCalls: [waits('one')], usage }],
        'Do two.': [{ toolCalls: [waits('two')], usage }],
      },
      { config },
    )
    const { page } = served
    const id = await served.begin()
    await page.getByText('Running 2 agents').waitFor()
    await page.getByText('$ sh wait.sh two').first().waitFor()
    await served.call('POST', `/conversations/${id}/interrupt`)
    await page.getByText('2 agents stopped').waitFor()
    await page.getByRole('tab', { name: 'Steps' }).click()
    const steps = page.getByRole('region', { name: 'Steps' })
    await steps.getByText('paused').first().waitFor()
    expect(await steps.locator('.spin').count()).toBe(0)
  })
})

describe('the steps of a branch', () => {
  it('are the calls of all its runs, with their subagents and times; what was cancelled has not failed', async () => {
    await using served = await ServedPage.open(
      {
        'Go.': [
          { toolCalls: [waits('one'), task('sub'), task('lost')], usage },
          { text: 'First.', usage },
          { toolCalls: [waits('two')], usage },
          { text: 'Second.', usage },
        ],
        'Do sub.': [
          { toolCalls: [waits('three')], usage },
          { text: 'Sub.', usage },
        ],
        'Do lost.': [{ toolCalls: [waits('four')], usage }],
      },
      { config },
    )
    const { page } = served
    for (const name of ['one', 'two', 'three']) served.tree.release(name)
    await served.begin()
    await page.getByText('$ sh wait.sh four').first().waitFor()
    await page.getByRole('button', { name: 'Cancel general: lost' }).first().click()
    await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'First.' }).waitFor()
    await page.getByRole('textbox', { name: 'Message…' }).fill('More.')
    await page.keyboard.press('Enter')
    await page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'Second.' }).waitFor()
    await page.getByRole('tab', { name: 'Steps' }).click()
    const steps = page.getByRole('region', { name: 'Steps' })
    const step = (name: string) => steps.getByRole('listitem').filter({ hasText: name })
    for (const name of ['one', 'two', 'three']) await step(`$ sh wait.sh ${name}`).waitFor()
    expect(await step('$ sh wait.sh one').innerText()).toMatch(/\d+(ms|\.\ds|s)$/)
    expect(await step('$ sh wait.sh four').innerText()).toMatch(/cancelled · /)
    expect(await steps.getByText('failed').count()).toBe(0)
    expect(await steps.getByText('Run 2 of 2').count()).toBe(1)
    expect(await served.look('steps')).toEqual([])
    await page.reload()
    await step('$ sh wait.sh two').waitFor()
    expect(await steps.getByText('failed').count()).toBe(0)
    expect(served.problems).toEqual([])
  })
})

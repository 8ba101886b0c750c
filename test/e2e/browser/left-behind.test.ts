import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { task, waits, WAITS_ALLOWED } from '../../support/scripted-tree.ts'

afterAll(closeBrowser)

const usage = { input_tokens: 100, output_tokens: 10 }
const config = { permissions: [WAITS_ALLOWED] }
const actors = {
  'Go.': [{ toolCalls: [task('map')], usage }],
  'Do map.': [{ toolCalls: [waits('map')], usage }],
}

/** A time of ten minutes or more. */
const LATER = /\b1\dm/

const MINUTES = 12

/** The clock of the browser is set forward, and the page has noticed. */
async function later(page: Page): Promise<void> {
  await page.clock.setFixedTime(Date.now() + MINUTES * 60_000)
  await list(page).getByText(`${MINUTES}m`).waitFor()
}

const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations and branches' })
const main = (page: Page) => page.getByRole('main')

/** What turns on the page, in the list of conversations too. */
const TURNS = `[...document.querySelectorAll('.spin')].filter((each) => getComputedStyle(each).animationName !== 'none').length`

describe('a page whose server is gone', () => {
  it('shows no time that goes on, and nothing that turns', async () => {
    await using served = await ServedPage.open(actors, { config })
    const { page } = served
    await served.begin()
    await page.getByText('$ sh wait.sh map').first().waitFor()
    expect(await page.evaluate(TURNS)).toBeGreaterThan(0)
    await page.getByRole('tab', { name: 'Steps' }).click()
    const steps = page.getByRole('region', { name: 'Steps' })
    await steps.getByText('$ sh wait.sh map').waitFor()
    await served.crash(async () => {
      await page.getByRole('alert').getByText('Connection to the server lost').waitFor()
      await later(page)
      expect(await steps.innerText()).not.toMatch(LATER)
      expect(await main(page).innerText()).not.toMatch(LATER)
      await page.getByRole('tab', { name: 'Agents' }).click()
      const agents = page.getByRole('region', { name: 'Agents', exact: true })
      await agents.getByText('map').first().waitFor()
      expect(await agents.innerText()).not.toMatch(LATER)
      expect(await page.evaluate(TURNS)).toBe(0)
      await served.screenshot('lost-still')
    })
    await expect.poll(() => main(page).innerText()).toMatch(LATER)
    expect(await page.evaluate(TURNS)).toBeGreaterThan(0)
    expect(served.problems).toEqual([])
  })
})

describe('a conversation whose program was killed', () => {
  it('is marked in the list in the words of ls and of the API, and nothing in it goes on', async () => {
    await using served = await ServedPage.open(actors, { config })
    const { page } = served
    const directory = dirname(served.user.write('gone/wait.sh', 'while true; do sleep 1; done'))
    const program = served.tree.go('-C', 'gone', '--mode', 'auto')
    await program.untilStdout('"title":"$ sh wait.sh map"')
    const [listed] = await conversations(served)
    await list(page).getByTitle('Running', { exact: true }).waitFor()
    expect(listed).toMatchObject({ status: 'waiting', left: null })

    // without its directory no server takes it up
    rmSync(directory, { recursive: true })
    program.kill('SIGKILL')
    await program.ended
    const words = 'Left behind: its process exited while it was waiting'
    await list(page).getByTitle(words, { exact: true }).waitFor()
    expect(await list(page).getByTitle('Running', { exact: true }).count()).toBe(0)
    expect(await list(page).getByText(words, { exact: true }).count()).toBe(1)
    expect(await conversations(served)).toMatchObject([{ id: listed!.id, status: 'waiting', left: words }])
    const entries = JSON.parse((await served.user.call(['ls', '--json'])).stdout) as readonly Listed[]
    expect(entries).toMatchObject([{ id: listed!.id, status: 'waiting', left: words }])
    expect((await served.user.call(['ls'])).stdout).toContain(`  ${words}  `)

    await page.goto(`${served.url}/c/${listed!.id}`)
    await page.getByRole('tab', { name: 'Steps' }).click()
    const steps = page.getByRole('region', { name: 'Steps' })
    await steps.getByText('left behind').first().waitFor()
    await later(page)
    expect(await steps.innerText()).not.toMatch(LATER)
    expect(await main(page).innerText()).not.toMatch(LATER)
    expect(await page.evaluate(TURNS)).toBe(0)
    await page.reload()
    await list(page).getByTitle(words, { exact: true }).waitFor()
    expect(await served.look('left-behind')).toEqual([])
    expect(served.problems).toEqual([])
  })
})

interface Listed {
  readonly id: string
  readonly status: string | null
  readonly left: string | null
}

async function conversations(served: ServedPage): Promise<readonly Listed[]> {
  return (await served.call('GET', '/conversations')) as readonly Listed[]
}

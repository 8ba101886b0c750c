import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { closeBrowser, openPage, seriousFindings, sizes, themes } from '../../support/browser.ts'
import { movedClock, type MovedClock } from '../../support/moved-clock.ts'
import { ServedUser } from '../../support/served-user.ts'
import { TestUser } from '../../support/test-user.ts'

const DAY_MS = 24 * 60 * 60_000
const BUILT = join(import.meta.dirname, '../../../web/dist')
const HOSTILE = '<script>window.hits = 1</script><img src=x onerror="window.hits = 1">'

let clock: MovedClock
let served: ServedUser
let opened: Awaited<ReturnType<typeof openPage>>
let page: Page
/** Every address and header that the server was sent. */
let sent: string[]

beforeEach(async () => {
  clock = movedClock()
  served = await ServedUser.start(new TestUser(), { clock, pages: BUILT })
  opened = await openPage({ ...sizes[0], theme: 'light' })
  page = opened.page
  sent = []
  opened.context.on('request', (request) => {
    sent.push(`${request.url()} ${JSON.stringify(request.headers())}`)
  })
})

afterEach(async () => {
  const { context, problems } = opened
  await context.close()
  await served.remove()
  if (problems.length > 0) throw new Error(problems.join('\n'))
})
afterAll(closeBrowser)

const signedOut = (tab: Page) => tab.getByRole('heading', { name: 'Sign in' }).waitFor()
const signedIn = (tab: Page) => tab.getByRole('heading', { name: 'What are we working on?' }).waitFor()

async function signIn(tab = page): Promise<string> {
  const link = served.server.newLink()
  await tab.goto(link)
  await signedIn(tab)
  return new URL(link).hash.replace('#key=', '')
}

async function anotherTab(path: string): Promise<Page> {
  const tab = await opened.context.newPage()
  await tab.goto(served.server.url + path)
  return tab
}

const stored = (tab: Page) => tab.evaluate<string | null>(`localStorage.getItem('offshoot.session')`)

it('a link signs in; its key stands in no address, history, cookie or request but the one that exchanges it', async () => {
  const key = await signIn()
  expect(page.url()).toBe(`${served.server.url}/`)
  expect(await page.evaluate('[document.cookie, history.length, JSON.stringify(history.state)]')).toEqual([
    '',
    expect.any(Number),
    'null',
  ])
  expect(await opened.context.cookies()).toEqual([])
  await page.goto(`${served.server.url}/settings/agents`)
  await page.getByRole('link', { name: /^explore/ }).waitFor()
  await page.goBack()
  await signedIn(page)
  expect(page.url()).not.toContain(key)
  const { token } = JSON.parse((await stored(page))!) as { token: string }
  for (const secret of [key, token])
    expect(sent.map((each) => each.split(' ')[0]).join('\n')).not.toContain(secret)
  for (const each of sent) {
    const headers = JSON.parse(each.slice(each.indexOf(' ') + 1)) as Record<string, string>
    expect(headers).not.toHaveProperty('cookie')
    expect(headers['referer'] ?? '').not.toContain(key)
    const isCall = each.includes('/api/') && !each.includes('/api/sessions ')
    expect([each, headers['authorization']]).toEqual([each, isCall ? `Bearer ${token}` : undefined])
  }
  expect(served.said.join('\n')).not.toContain(key)
})

it('a browser without a link is told what to do, and a link in the same tab lets it in', async () => {
  await page.goto(`${served.server.url}/c/cnv_none`)
  await signedOut(page)
  expect(await page.getByRole('main').innerText()).toMatch(/offshoot sessions link/)
  const used = served.server.newLink()
  await fetch(`${served.server.url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: new URL(used).hash.replace('#key=', '') }),
  })
  await page.goto(used)
  await page.getByRole('alert').filter({ hasText: 'used before' }).waitFor()
  expect(page.url()).toBe(`${served.server.url}/`)
  for (const theme of themes) {
    expect(await seriousFindings(page, theme)).toEqual([])
    await shot(`sign-in-${theme}`)
  }
  await page.goto(served.server.newLink()) // only what follows # is another: nothing is loaded
  await signedIn(page)
  await page.goto(used)
  await signedIn(page)
  await page.reload()
  await signedIn(page)
})

it('a reload, a link in a new tab and a second tab are signed in, with their streams', async () => {
  await signIn()
  const { conversationId } = await served.begin({
    '*': [{ text: 'a first answer' }, { text: 'a second answer' }],
  })
  const row = page.getByRole('link', { name: /hello/ })
  const [tab] = await Promise.all([opened.context.waitForEvent('page'), row.click({ button: 'middle' })])
  await tab.getByText('a first answer').waitFor()
  await tab.reload()
  await tab.getByText('a first answer').waitFor()
  const { body } = await served.get(`/conversations/${conversationId}`)
  const [{ id }] = body['branches'] as [{ id: string }]
  await served.post(`/branches/${id}/messages`, { text: 'more', mode: 'follow_up' })
  await tab.getByText('a second answer').first().waitFor() // it came by the stream
})

it('signing out in one tab signs out the others, and ends the session at the server', async () => {
  await signIn()
  const tab = await anotherTab('/settings/sessions')
  await tab.getByText('this one').waitFor()
  const { token } = JSON.parse((await stored(page))!) as { token: string }
  await tab.getByRole('button', { name: 'Sign out' }).click()
  for (const each of [tab, page]) await signedOut(each)
  expect(await stored(page)).toBeNull()
  await expect
    .poll(async () => (await served.call('GET', '/api/sessions', undefined, bearer(token))).status)
    .toBe(401)
})

it('sessions are listed and revoked: what one shows ends, and another goes on', async () => {
  await signIn()
  const other = await openPage({ ...sizes[0], theme: 'light' })
  await signIn(other.page)
  const { conversationId } = await served.begin({ '*': [{ text: 'an answer' }] })
  await other.page.goto(`${served.server.url}/c/${conversationId}`)
  await other.page.getByText('an answer').waitFor()
  await page.goto(`${served.server.url}/settings/sessions`)
  const rows = page.getByRole('region', { name: 'Sessions' }).locator('[data-session]')
  await rows.nth(1).waitFor()
  expect(await rows.filter({ hasText: 'this one' }).innerText()).toMatch(/Chrome on Linux/)
  for (const theme of themes) {
    expect(await seriousFindings(page, theme)).toEqual([])
    await shot(`sessions-${theme}`)
  }
  await rows
    .filter({ hasNotText: 'this one' })
    .getByRole('button', { name: /^Revoke/ })
    .click()
  await signedOut(other.page)
  expect(await other.page.getByRole('alert').innerText()).toContain('has ended')
  await expect.poll(() => rows.count()).toBe(1)
  await other.context.close()
  await page.getByRole('button', { name: 'Revoke all' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke all' }).click()
  await signedOut(page)
  expect((await served.get('/sessions')).body).toEqual([])
})

it('after a day the session is over, and the page says so', async () => {
  await signIn()
  const { conversationId } = await served.begin({ '*': [{ text: 'an answer' }] })
  await page.goto(`${served.server.url}/c/${conversationId}`)
  await page.getByText('an answer').waitFor()
  clock.move(DAY_MS - 60_000)
  await page.reload()
  await page.getByText('an answer').waitFor()
  clock.move(60_000)
  await signedOut(page)
  expect(await page.getByRole('alert').innerText()).toContain('older than 24 hours')
  expect(await stored(page)).toBeNull()
  await page.goto(served.server.newLink())
  await signedIn(page)
})

it('an export is saved, an artifact is shown as text, and nothing in either runs', async () => {
  await page.addInitScript('window.hits = 0')
  await signIn()
  // too large for a message, and what is left out there is what could do harm
  const command = `x() { head -c 30000 /dev/zero | tr '\\0' x; }; x; echo; echo '${HOSTILE}'; x`
  const model = served.user.script({
    '*': [{ toolCalls: [{ tool: 'bash', input: { command } }] }, { text: HOSTILE }],
  })
  const { body } = await served.post('/conversations', { text: 'hello', model, mode: 'auto' })
  const { conversationId } = body as { conversationId: string }
  await served.ended(conversationId)
  await page.goto(`${served.server.url}/c/${conversationId}`)
  await page.getByText(HOSTILE).first().waitFor()
  await page.getByRole('button', { name: /^\$ x/ }).click()
  await page.getByRole('button', { name: 'Show full output' }).click()
  expect(await page.getByRole('region', { name: 'Full output' }).innerText()).toContain(HOSTILE)
  await shot('artifact')
  for (const [choice, name] of [
    ['Export as HTML', `${conversationId}.html`],
    ['Export as JSON', `${conversationId}.json`],
  ] as const) {
    await page.getByRole('button', { name: 'More' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: choice }).click(),
    ])
    expect(download.suggestedFilename()).toBe(name)
    expect(readFileSync(await download.path(), 'utf8')).toContain('hits')
    // somebody who opens the blob itself is shown nothing: no browser shows its type
    const opening = await opened.context.newPage()
    await opening.goto(download.url()).catch(() => {})
    expect(await opening.title()).toBe('')
    await opening.close()
  }
  expect(await page.evaluate('window.hits')).toBe(0)
})

it('what the server answers runs nowhere, opened by its address', async () => {
  await signIn()
  const { conversationId } = await served.begin({ '*': [{ text: HOSTILE }] })
  await served.ended(conversationId)
  for (const path of [
    `conversations/${conversationId}/export?format=html`,
    `conversations/${conversationId}`,
  ]) {
    const answer = await page.goto(`${served.server.url}/api/${path}`)
    expect(answer!.status()).toBe(401)
  }
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Into the folder that WEB_SCREENSHOTS names. */
async function shot(name: string): Promise<void> {
  const folder = process.env['WEB_SCREENSHOTS']
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) })
}

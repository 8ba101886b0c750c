import { afterAll, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'

afterAll(closeBrowser)

const PATTERN = '<img src=x onerror=window.broken=1> **x** y'
const RULES = { permissions: [{ tool: 'bash', pattern: PATTERN, action: 'allow' }] }

interface Trust {
  readonly trusted: boolean
}

it('the page shows what files ask for as text, and grants it when the person says so', async () => {
  await using served = await ServedPage.open({}, { config: {} })
  const { page, user } = served
  const banner = page.getByRole('status').filter({ hasText: 'that you have not granted' })
  const isTrusted = async () => ((await served.call('GET', '/trust')) as Trust).trusted
  expect(await banner.count()).toBe(0)

  user.write('offshoot.jsonc', JSON.stringify(RULES))
  await page.reload()
  await banner.getByRole('button', { name: 'Review' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Do you trust these files?' })
  const items = dialog.getByRole('list', { name: 'Requests of the files' }).getByRole('listitem')
  expect(await items.allInnerTexts()).toEqual([
    expect.stringMatching(
      /^allows bash with <img src=x onerror=window\.broken=1> \*\*x\*\* .*\s+offshoot\.jsonc$/,
    ),
  ])
  await served.screenshot('trust')
  await dialog.getByRole('button', { name: 'Not now' }).click()
  await expect.poll(() => banner.count()).toBe(0)
  expect(await isTrusted()).toBe(false)

  await page.reload()
  await banner.getByRole('button', { name: 'Review' }).click()
  await dialog.getByRole('button', { name: 'Trust', exact: true }).click()
  await expect.poll(() => banner.count()).toBe(0)
  expect(await isTrusted()).toBe(true)
  expect(await page.evaluate('window.broken')).toBeUndefined()
  expect(served.problems).toEqual([])
})

it('a yes to files that have changed meanwhile grants nothing, and the page says so', async () => {
  await using served = await ServedPage.open({}, { config: {} })
  const { page, user } = served
  user.write('offshoot.jsonc', JSON.stringify(RULES))
  await page.reload()
  await page.getByRole('button', { name: 'Review' }).click()
  user.write('offshoot.jsonc', '{ "permissions": ["bash:*"] }')
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('button', { name: 'Trust', exact: true }).click()
  await page.getByText('changed after they were shown').first().waitFor()
  await dialog.getByText('allows bash with * without asking').waitFor()
  expect(await served.call('GET', '/trust')).toMatchObject({ trusted: false })
})

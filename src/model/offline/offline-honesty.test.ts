import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { OfflineWorkspace } from '../../../test/support/offline-workspace.ts'

let workspace: OfflineWorkspace

beforeEach(async () => {
  workspace = new OfflineWorkspace(await mkdtemp(join(tmpdir(), 'offline-')))
})

afterEach(() => rm(workspace.root, { recursive: true, force: true }))

async function lead(question: string): Promise<string> {
  return (await workspace.ask(question)).text.split('\n')[0]!
}

describe('a definition is no use', () => {
  test.each([
    ['u.py', 'def foo():\n    return 1\n', 1],
    ['u.ts', 'export class U {\n  foo(): number {\n    return 1\n  }\n}\n', 2],
    ['u.ts', 'export class U {\n  foo(\n    a: number,\n  ): number {\n    return a\n  }\n}\n', null],
    ['u.ts', 'interface U {\n  foo(a: number): number\n}\n', null],
    ['u.js', '// foo is the best\nfunction foo() {\n  return 1\n}\n\nmodule.exports = { foo }\n', 2],
  ])('%s', async (path, code, line) => {
    await workspace.write({ [path]: code })
    for (const question of ['who calls foo?', 'where is foo used?', 'Which places use `foo`?']) {
      const { text } = await workspace.ask(question)
      expect(text).toMatch(/^No use of foo is found here\./)
      expect(text).not.toContain('most likely used')
      if (line !== null) expect(text).toContain(`The definition of foo is in ${path}, line ${line}.`)
    }
  })

  test.each([
    ['b.py', 'def bar():\n    return foo()\n', 2],
    ['b.js', 'export const bar = () => foo() + 1\n', 1],
    ['b.js', 'function bar() {\n  foo()\n}\n', 1],
    ['b.js', 'start(\n  foo(\n    barOfTheFoo,\n  ),\n)\n', 3],
  ])('a call in %s is one', async (path, code, line) => {
    await workspace.write({ 'u.py': 'def foo():\n    return 1\n', [path]: code })
    expect(await lead('who calls foo?')).toContain(`It is most likely used in ${path}, line ${line}`)
  })
})

test.each(['explore', 'main', 'planner'])(
  '%s: a search that failed is not one that found nothing',
  async (agent) => {
    await workspace.write({ 'u.py': 'def foo():\n    return 1\n' })
    const options = { agent, delegates: agent === 'main', failure: 'this search needs ripgrep' }
    const { text } = await workspace.ask('where is foo?', options)
    expect(text).toMatch(/^The search failed\. \d+ of \d+ calls failed \(.*this search needs ripgrep/)
    expect(text).not.toMatch(/Nothing was found|No code here|No place/)
  },
)

describe('words that name nothing', () => {
  test.each(['and now?', 'who uses it now?', 'What happens when a keyword is defined twice?'])(
    '%s',
    async (question) => {
      await workspace.write({
        'a.js':
          'function addKeyword(name) {\n  if (known(name)) throw new Error(`${name} is already defined`)\n  keywords.push(name)\n}\n',
      })
      expect(await lead(question)).not.toContain('No code here')
    },
  )

  test('are no part of an answer that finds the rest', async () => {
    await workspace.write({
      'a.js': 'function sendEmail(to) {\n  smtp.send(to)\n}\n',
      'b.js': 'const b = 1\n',
    })
    expect(await lead('Which place sends e-mails?')).toContain('a.js, line 1')
  })
})

test('one is counted as one', async () => {
  await workspace.write({ 'u.py': 'def foo():\n    return 1\n' })
  const { text } = await workspace.ask('where is foo?', { agent: 'explore', delegates: false })
  expect(text).toContain('read 1 place.')
  const plan = await workspace.ask('where is foo?', { agent: 'planner', delegates: false })
  expect(plan.text).toContain('lead to 1 file.')
})

describe('a word that only looks like another is not mentioned', () => {
  const RETRIEVE =
    '/** Retrieves the configured option. */\nfunction retrieveOption(config) {\n  return config.option\n}\n'

  test.each(['Where is the retry backoff configured?', 'Where is the retry backoff?'])(
    '%s',
    async (question) => {
      await workspace.write({ 'a.js': RETRIEVE })
      const { text } = await workspace.ask(question)
      expect(text).toMatch(/^No code here mentions retry or backoff\./)
      expect(text).not.toMatch(/\*\*.*\((.*, )?(retry|backoff)/)
    },
  )

  test('Where does it retry?', async () => {
    await workspace.write({ 'a.js': RETRIEVE })
    expect(await lead('Where does it retry?')).toBe('No code here mentions retry.')
  })

  test('a synonym is no mention, but the closest match', async () => {
    await workspace.write({ 'a.js': 'function remove(order) {\n  orders.splice(order, 1)\n}\n' })
    expect(await lead('Where is an order deleted?')).toBe(
      'No code here mentions deleted. The closest match is a.js, line 1 (defines remove).',
    )
  })

  test.each([
    ['Where are the hosts?', 'hostname'],
    ['Where are retries?', 'MAX_RETRY = 3'],
    ['Where is it logged?', 'logging = 3'],
    ['Where are e-mails?', 'e_mail = 3'],
    ['Where is the configuration?', 'cfg = 3'],
  ])('its forms and compounds are mentions: %s %s', async (question, code) => {
    await workspace.write({ 'a.py': `${code}\n` })
    expect(await lead(question)).not.toContain('No code')
  })
})

describe('a question of two halves', () => {
  const SHOP = {
    'a.ts':
      "const types = { token: 'a', signature: 'verified' }\n\nexport function verifyToken(token: string, key: string) {\n  const [head, body, signature] = token.split('.')\n  if (!isSigned(head, signature, key)) return null\n  return parse(body)\n}\n\nexport class Parcels {\n  allowOversize(allow = true) {\n    this.oversize = allow\n    return this\n  }\n\n  oversizeParcel(parcel: Parcel) {\n    const limit = this.limit\n    const size = parcel.size\n    const over = size - limit\n    const message = describe(parcel, over)\n    report(message)\n    throw new RangeError(message)\n  }\n}\n",
  }

  test('has a verdict for each, with its words', async () => {
    await workspace.write(SHOP)
    const said = await lead('Where is the token signature verified, and where is an oversize parcel?')
    expect(said).toMatch(
      /^On token, signature, verified: .*a\.ts, line 3 .* On oversize, parcel: .*a\.ts, line 15 /,
    )
  })

  test('one of which no code mentions', async () => {
    await workspace.write(SHOP)
    const said = await lead('Where is the token signature verified, and where is the thumbnail?')
    expect(said).toMatch(
      /^On token, signature, verified: the answer is .*a\.ts, line 3 .* On thumbnail: no code here mentions thumbnail\./,
    )
  })

  test('what happens is where it fails, and not where a value is only set', async () => {
    await workspace.write(SHOP)
    const said = await lead('Where is an oversize handled, and what happens then?')
    expect(said).toMatch(
      /^On oversize, handled: .*line 15 .* On what happens: .*a\.ts, line \d\d \(in oversizeParcel\)\.$/,
    )
  })
})

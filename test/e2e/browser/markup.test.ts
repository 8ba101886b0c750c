import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { closeBrowser, ServedPage } from '../../support/browser.ts'
import { bash, task } from '../../support/scripted-tree.ts'

afterAll(closeBrowser)

const usage = { input_tokens: 100, output_tokens: 10 }

/** Each runs `hit()` where it becomes markup, in an attribute, in a script, or in a link that is followed. */
const PAYLOADS = [
  '<img src=x onerror=hit()>',
  '"><svg onload=hit()>',
  "'-hit()-'",
  '<script>hit()</script>',
  '</title></textarea></style><iframe srcdoc="<script>parent.hit()</script>">',
  '[a](javascript:hit()) ![b](https://pixel.example/b.png)',
  '{{constructor.constructor("hit()")()}}',
  '`<b onmouseover=hit()>`',
  '<a href=javascript:hit()>x</a>',
  '[x](java\nscript:hit())',
  '<div style="background:url(http://198.51.100.7/x)">',
  '<a href="//evil.example">good.example</a>',
]
const ALL = PAYLOADS.join('\n\n')
/** Elements and attributes that the page has none of by itself. */
const MARKUP = `[...document.querySelectorAll(
  'img, iframe, object, embed, [srcdoc], [onload], [onerror], [onmouseover], a[href^="javascript"]'
)].map((each) => each.outerHTML)`
/** A name for a file or a directory: everything but the slash and the null. */
const NAME = '<img src=x onerror=hit()>'
const FILE = `${NAME}.ts`

it('nothing that anybody writes is ever markup, wherever it is shown', async () => {
  await using served = await ServedPage.open(
    {
      [PAYLOADS[0]!]: [
        {
          text: ALL,
          reasoning: ALL,
          toolCalls: [
            task(ALL, { subagent_type: 'general' }),
            { tool: 'read', input: { file_path: FILE } },
            { tool: 'write', input: { file_path: 'new.ts', content: ALL } },
            { tool: ALL.slice(0, 60), input: { [PAYLOADS[0]!]: ALL } },
            bash(`printf %s ${JSON.stringify(PAYLOADS[1])}`),
            { tool: 'webfetch', input: { url: `https://pixel.example/"onerror="hit()"${PAYLOADS[0]}` } },
            { tool: 'webfetch', input: { url: 'javascript:hit()' } },
            { tool: 'ask_user', input: { question: ALL, options: PAYLOADS.slice(0, 3) } },
          ],
          usage,
        },
        { text: `${ALL}\n\nThe end.`, usage },
      ],
      'Do ': [{ text: ALL, usage }],
    },
    {
      files: {
        [FILE]: ALL,
        '.offshoot/agents/odd.md': `---\nname: odd\ndescription: ${JSON.stringify(ALL)}\n---\n${ALL}\n`,
        [`.offshoot/agents/${NAME}.md`]: `---\nname: filed\ndescription: its file has an odd name\n---\nWork.\n`,
        [`${NAME}/.offshoot/agents/inner.md`]: `---\nname: inner\ndescription: ${JSON.stringify(ALL)}\n---\nWork.\n`,
      },
      config: { permissions: [{ tool: 'write', action: 'allow' }] },
    },
  )
  const { page } = served
  const foreign: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(served.url)) foreign.push(request.url())
  })
  await page.addInitScript('window.hits = 0; window.hit = () => { window.hits++ }')
  await page.reload()
  const id = await served.begin(ALL)
  await served.call('PATCH', `/conversations/${id}`, { title: PAYLOADS[1] })

  const card = page.locator('[data-approval], [data-question]').first()
  await card.waitFor()
  await page.keyboard.press('Escape')
  await page.locator('body').press(']')
  const end = page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'The end.' })
  await expect.poll(() => answerAll(served, id).then(() => end.count()), { timeout: 20_000 }).toBe(1)
  for (const tab of ['Steps', 'Timeline', 'Agents', 'Tree'])
    await page.getByRole('tab', { name: tab }).click()
  await page.goto(`${served.url}/settings/agents`)
  await page.getByText('odd', { exact: true }).first().waitFor()
  expect(await page.evaluate(MARKUP)).toEqual([])
  await page.getByText('filed', { exact: true }).first().click()
  await page.getByText(`${NAME}.md`).waitFor()
  expect(await page.evaluate(MARKUP)).toEqual([])
  await page.goto(`${served.url}/settings/agents/odd`)
  await page.getByRole('region', { name: 'Instructions' }).waitFor()
  expect(await page.evaluate(MARKUP)).toEqual([])
  for (const tab of ['models', 'permissions', 'limits']) {
    await page.goto(`${served.url}/settings/${tab}`)
    await page.getByRole('main').getByRole('heading', { level: 1 }).first().waitFor()
    expect(await page.evaluate(MARKUP)).toEqual([])
  }
  const model = 'anthropic/<svg/onload=hit()>'
  const there = (await served.call('POST', '/conversations', {
    directory: join(served.user.directory, NAME),
    text: PAYLOADS[0],
    model,
  })) as { conversationId: string }
  await page.goto(`${served.url}/c/${there.conversationId}`)
  await card.getByText(`in ${served.user.directory}/${NAME}`).first().waitFor()
  await expect.poll(() => answerAll(served, there.conversationId).then(() => end.count())).toBe(1)
  expect(await page.evaluate(MARKUP)).toEqual([])
  await page.goto(
    `${served.url}/c/${encodeURIComponent(PAYLOADS[0]!)}/b/${encodeURIComponent(PAYLOADS[1]!)}#${encodeURIComponent(PAYLOADS[3]!)}`,
  )
  await page.getByRole('button', { name: 'All conversations' }).waitFor()

  expect(await page.evaluate('window.hits')).toBe(0)
  expect(foreign).toEqual([])
  expect(served.problems).toEqual([])
})

async function answerAll(served: ServedPage, id: string): Promise<void> {
  const by = PAYLOADS[0]!
  for (const { id: approval } of await open(served, 'approvals', id))
    await served.call('POST', `/approvals/${approval}`, { answer: 'once', by })
  for (const { id: question } of await open(served, 'questions', id))
    await served.call('POST', `/questions/${question}`, { text: ALL, by })
}

async function open(served: ServedPage, kind: string, id: string): Promise<readonly { id: string }[]> {
  return (await served.call('GET', `/${kind}?conversation=${id}`)) as { id: string }[]
}

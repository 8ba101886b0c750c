import { afterAll, beforeAll, expect, test } from 'vitest'
import { ServedUser, type Began } from '../../test/support/served-user.ts'
import { TestUser } from '../../test/support/test-user.ts'
import type { ArtifactId, BranchId } from '../core/ids.ts'

const hidden = 'A1b2C3d4'.repeat(5)
const key = `ghp_${hidden}`
const KNOWN = 'correct-horse-9'
const secrets = new RegExp(`${hidden}|${KNOWN}`)
const shown = `ghp_${'•'.repeat(hidden.length)}`

let served: ServedUser
beforeAll(async () => {
  const user = new TestUser()
  user.env['DEPLOY_TOKEN'] = KNOWN
  served = await ServedUser.start(user)
})
afterAll(() => served.remove())

test('what is stored holds the secrets, and no answer shows them, however it is asked for', async () => {
  const said = `use ${key} and ${KNOWN}`
  const call = { tool: 'bash', input: { command: `echo ${key} ${KNOWN}` } }
  const asked = {
    tool: 'ask_user',
    input: { question: `Is ${key} right?`, options: [`no, ${KNOWN}`, 'yes'] },
  }
  const began = await served.begin({ '*': [{ text: said, toolCalls: [call] }, { toolCalls: [asked] }] }, said)
  const { conversationId, branchId, runId } = began
  await served.until(conversationId, ({ type }) => type === 'approval.requested')
  const queued = await served.post(`/branches/${branchId}/messages`, { text: said, mode: 'follow_up' })
  const item = queued.body['itemId'] as string
  const [approval] = served.store.find('approvals', { where: { conversationId } })
  const artifactId = await putArtifact(began, `log: ${key}`)
  const reads = [
    '/conversations',
    `/conversations/${conversationId}`,
    `/branches/${branchId}`,
    `/branches/${branchId}/messages`,
    `/branches/${branchId}/inbox`,
    `/inbox/${item}`,
    '/runs?status=all',
    `/runs/${runId}`,
    '/approvals',
    `/artifacts/${artifactId}`,
  ]
  for (const path of reads) {
    const { status, body } = await served.get(path)
    expect(status, path).toBe(200)
    expect(JSON.stringify(body), path).not.toMatch(secrets)
  }
  expect(JSON.stringify((await served.get(`/branches/${branchId}/messages`)).body)).toContain(shown)
  expect(JSON.stringify((await served.get('/approvals')).body)).toContain(shown)
  expect(served.store.find('parts', { where: { conversationId } }).map((row) => row.part)).toContainEqual(
    expect.objectContaining({ type: 'text', text: said }),
  )
  await served.post(`/approvals/${approval!.id}`, { answer: 'deny' })
  await served.until(conversationId, ({ type }) => type === 'question.asked')
  const questions = await served.get('/questions')
  expect(JSON.stringify(questions.body)).not.toMatch(secrets)
  const [{ id, options }] = questions.body as unknown as [{ id: string; options: string[] }]
  expect((await served.post(`/questions/${id}`, { text: options[0] })).status).toBe(200)
  expect(served.store.get('questions', id as never)?.answer).toBe(`no, ${KNOWN}`)
})

test('what is edited where it was shown masked keeps its secrets, and takes the words of the person', async () => {
  const said = `use ${key} and ${KNOWN}`
  const began = await served.begin(
    { '*': [{ toolCalls: [{ tool: 'bash', input: { command: 'id' } }] }] },
    said,
  )
  const { conversationId, branchId } = began
  await served.until(conversationId, ({ type }) => type === 'approval.requested')
  const queued = await served.post(`/branches/${branchId}/messages`, { text: said, mode: 'follow_up' })
  const item = queued.body['itemId'] as string
  const { body } = await served.get(`/inbox/${item}`)
  await patch(`/inbox/${item}`, { text: `Please ${String(body['text'])}!` })
  expect(served.store.get('inbox', item as never)?.text).toBe(`Please ${said}!`)
  await patch(`/inbox/${item}`, { text: 'nothing of that •••' })
  expect(served.store.get('inbox', item as never)?.text).toBe('nothing of that •••')

  const snapshot = await served.get(`/conversations/${conversationId}`)
  const { title } = snapshot.body['conversation'] as { title: string }
  expect(title).toContain(shown)
  await patch(`/conversations/${conversationId}`, { title: `${title}, please` })
  expect(served.store.get('conversations', conversationId)?.title).toBe(`${said}, please`)
})

test('what a person said is said again by its edit, secrets included', async () => {
  const began = await served.begin({ '*': [{ text: 'yes' }, { text: 'again' }] }, 'hello')
  await served.ended(began.conversationId)
  const said = `use ${key}`
  const before = (await served.get(`/conversations/${began.conversationId}`)).body['seq'] as number
  await served.post(`/branches/${began.branchId}/messages`, { text: said })
  await served.until(
    began.conversationId,
    ({ type }) => type === 'run.completed' || type === 'run.failed',
    before,
  )
  const messages = served.store.find('messages', { where: { branchId: began.branchId } })
  const last = messages.findLast(({ role }) => role === 'user')!
  const edited = await served.post(`/messages/${last.id}/edit`, { text: `${said.replace(key, shown)} again` })
  const { branchId } = edited.body as { branchId: string }
  const texts = served.store
    .find('inbox', { where: { branchId: branchId as BranchId } })
    .map(({ text }) => text)
  const parts = served.store
    .find('parts', { where: { conversationId: began.conversationId } })
    .map(({ part }) => ('text' in part ? part.text : ''))
  expect([...texts, ...parts]).toContain(`${said} again`)
})

test('what a person approves shows what a shell would run, over HTTP and on the command line', async () => {
  const command = `curl http://me:${hidden};reboot@example.com`
  const readable = `curl http://me:${'•'.repeat(hidden.length)};reboot@example.com`
  const { conversationId } = await served.begin(
    { '*': [{ toolCalls: [{ tool: 'bash', input: { command } }] }, { text: 'done' }] },
    'go',
  )
  await served.until(conversationId, ({ type }) => type === 'approval.requested')
  const listed = await served.get(`/approvals?conversation=${conversationId}`)
  const snapshot = await served.get(`/conversations/${conversationId}`)
  for (const approvals of [listed.body, snapshot.body['approvals']])
    expect(approvals).toMatchObject([{ title: `$ ${readable}`, detail: readable }])
  const [approval] = served.store.find('approvals', { where: { conversationId } })
  const shown = await served.user.call(['approve', approval!.id])
  const running = await served.user.call(['ps'])
  for (const { stdout } of [shown, running]) {
    expect(stdout).toContain(readable)
    expect(stdout).not.toContain(hidden)
  }
  const messages = await served.get(`/branches/${approval!.branchId}/messages`)
  expect(JSON.stringify(messages.body)).not.toMatch(new RegExp(`${hidden}|reboot`))
  await served.post(`/approvals/${approval!.id}`, { answer: 'deny' })
})

test('a refusal shows none either', async () => {
  const { body } = await served.post('/conversations', { text: 'x', agent: key })
  expect(JSON.stringify(body)).toContain('ghp_•')
  expect(JSON.stringify(body)).not.toMatch(secrets)
})

function patch(path: string, body: object) {
  return served.call('PATCH', `/api${path}`, body)
}

async function putArtifact({ conversationId }: Began, text: string): Promise<string> {
  const id = `art_${'Z'.repeat(26)}` as ArtifactId
  const content = Buffer.from(text)
  const about = { hash: 'x', mediaType: 'text/plain', size: content.length, createdAt: 0 }
  await served.store.tx((tx) => tx.insert('artifacts', { id, conversationId, content, ...about }), {
    durable: true,
  })
  return id
}

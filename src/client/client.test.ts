import { describe, expect, it } from 'vitest'
import { createClient } from './client.ts'
import { ClientError } from './client-error.ts'

function clientOf(answer: () => Response | Promise<Response>, baseUrl = 'http://127.0.0.1:4680/') {
  const sent: { url: string; init: RequestInit }[] = []
  const fetch = (async (url: string, init: RequestInit) => {
    sent.push({ url, init })
    return await answer()
  }) as typeof globalThis.fetch
  return { client: createClient({ baseUrl, token: 'secret', fetch }), sent }
}

const ok = (body: unknown) => () => Response.json(body)

describe('createClient', () => {
  it('asks with a query, and the token', async () => {
    const { client, sent } = clientOf(ok([]))
    expect(await client.listRuns({ status: 'running,waiting', conversation: undefined })).toEqual([])
    expect(sent[0]!.url).toBe('http://127.0.0.1:4680/api/runs?status=running%2Cwaiting')
    expect(sent[0]!.init.headers).toEqual({ authorization: 'Bearer secret' })
    await client.health()
    expect(sent[1]!.url).toBe('http://127.0.0.1:4680/api/health')
  })

  it('changes with a body, and a key of its own for each call', async () => {
    const { client, sent } = clientOf(ok({ itemId: null, runId: null }), '')
    await client.sendMessage({ id: 'brn_1/x', text: 'hi' })
    await client.sendMessage({ id: 'brn_1', text: 'hi' })
    await client.sendMessage({ id: 'brn_1', text: 'hi' }, { idempotencyKey: 'mine' })
    const keys = sent.map(({ init }) => (init.headers as Record<string, string>)['idempotency-key'])
    expect(new Set(keys).size).toBe(3)
    expect(keys[2]).toBe('mine')
    expect(sent[0]!.url).toBe('/api/branches/brn_1%2Fx/messages')
    expect(sent[0]!.init).toMatchObject({ method: 'POST', body: '{"text":"hi"}' })
    expect(sent[0]!.init.headers).toMatchObject({ 'content-type': 'application/json' })
  })

  it('sends no body with DELETE', async () => {
    const { client, sent } = clientOf(ok({ id: 'cnv_1' }))
    await client.deleteConversation({ id: 'cnv_1' })
    expect(sent[0]!.init).toMatchObject({ method: 'DELETE', body: null })
  })

  it('sends a field that no route reads all the same, so that the server can refuse it', async () => {
    const { client, sent } = clientOf(ok({ id: 'cnv_1' }))
    const input = { id: 'cnv_1', dryRun: true, mode: undefined }
    await client.deleteConversation(input)
    expect(sent[0]!.init).toMatchObject({ method: 'DELETE', body: '{"dryRun":true}' })
  })

  it('throws what the server says', async () => {
    const error = { code: 'conflict', message: 'already answered', hint: 'look', fields: [] }
    const { client } = clientOf(() => Response.json({ error }, { status: 409 }))
    const answer = client.answerApproval({ id: 'apr_1', answer: 'once' })
    await expect(answer).rejects.toThrow(ClientError)
    await expect(answer).rejects.toMatchObject({ status: 409, ...error })
  })

  it.each([
    ['another program', () => new Response('<h1>', { status: 502 }), 502, 'bad_answer'],
    ['no JSON', () => new Response('{'), 200, 'bad_answer'],
    ['errors of another shape', () => Response.json({ error: 'no' }, { status: 500 }), 500, 'bad_answer'],
    ['no server', () => Promise.reject(new TypeError('fetch failed')), 0, 'unreachable'],
  ])('throws for %s', async (_, answer, status, code) => {
    await expect(clientOf(answer).client.listAgents()).rejects.toMatchObject({
      name: 'ClientError',
      status,
      code,
    })
  })

  it('throws the reason of its signal', async () => {
    const { client } = clientOf(() => Promise.reject(new Error('aborted')))
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(client.listAgents({}, { signal })).rejects.toThrow('enough')
  })

  it('reads documents and artifacts', async () => {
    const { client, sent } = clientOf(() => new Response('# text'))
    expect(await client.exportConversation('cnv_1', 'md')).toBe('# text')
    expect(new TextDecoder().decode(await client.artifact('art_1'))).toBe('# text')
    expect(sent.map(({ url }) => url.split('/api')[1])).toEqual([
      '/conversations/cnv_1/export?format=md',
      '/artifacts/art_1',
    ])
  })
})

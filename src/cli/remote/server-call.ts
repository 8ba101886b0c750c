import { isAbsolute, join, resolve } from 'node:path'
import { errorMessage, OffshootError, type ErrorCode } from '../../core/errors.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { Snapshot } from '../../protocol/conversation.ts'
import { dataHome } from '../../config/homes.ts'
import { runningServer } from '../../runtime/ownership/server-file.ts'
import { RUN_HEADER } from '../../protocol/route-paths.ts'
import { hasRunMark } from '../../exec/run-marks.ts'
import { readToken } from '../../server/installation-token.ts'
import { write, writeStderr, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'
import type { OutputFormat } from '../terminal/output-formats.ts'

/** A server of the same store that runs. */
export interface FoundServer {
  /** @throws OffshootError: what it refuses, as it says it. */
  post<T>(path: string, body: object): Promise<T>
  get<T>(path: string): Promise<T>
  delete<T>(path: string): Promise<T>
}

/** @throws OffshootError `usage` when none runs. `instead`: what to do then. */
export function requireServer(io: Pick<Io, 'env'>, instead: string): FoundServer {
  const server = findServer(io)
  if (server) return server
  throw new OffshootError('usage', 'no offshoot serve is running to hand it to', {
    hint: `start one in another terminal (offshoot serve), or leave out --background: ${instead}`,
  })
}

export function findServer({ env }: Pick<Io, 'env'>): FoundServer | undefined {
  const home = dataHome(env)
  const known = runningServer(home)
  const token = known && readToken(join(home, 'token'))
  if (!known || !token) return undefined
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(hasRunMark(env) ? { [RUN_HEADER]: env['OFFSHOOT_RUN_ID'] || 'unknown' } : {}),
    }
    const request = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
    const answer = await fetch(`http://127.0.0.1:${known.port}/api${path}`, request).catch(
      (cause: unknown) => {
        throw new OffshootError('internal', `the server does not answer: ${errorMessage(cause)}`, { cause })
      },
    )
    const value: unknown = await answer.json()
    if (answer.ok) return value as T
    throw refusal(value as Refusal)
  }
  return {
    post: (path, body) => call('POST', path, body),
    get: (path) => call('GET', path),
    delete: (path) => call('DELETE', path),
  }
}

interface Refusal {
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string }
}

/** Codes that only HTTP has are wrong usage here. */
function refusal({ error: { code, message, hint } }: Refusal): OffshootError {
  const known = ['invalid', 'malformed', 'too_large', 'forbidden', 'unauthorized'].includes(code)
    ? 'usage'
    : code
  return new OffshootError(known as ErrorCode, message, hint ? { hint } : {})
}

export async function mainBranch(
  server: FoundServer,
  conversationId: ConversationId,
): Promise<{ readonly conversationId: ConversationId; readonly branchId: string }> {
  const { branches } = await server.get<Pick<Snapshot, 'branches'>>(`/conversations/${conversationId}`)
  return { conversationId, branchId: branches.find(({ kind }) => kind === 'main')!.id }
}

/** What a server has begun. */
export interface HandedOver {
  readonly conversationId: string
  readonly branchId: string
  readonly runId: string | null
}

export async function printHandedOver(
  { conversationId, branchId, runId }: HandedOver,
  format: OutputFormat,
  io: Io,
): Promise<void> {
  if (format !== 'text')
    return await write(io, jsonLine({ conversation_id: conversationId, branch_id: branchId, run_id: runId }))
  await write(io, `${runId} of ${conversationId}, on ${branchId}\n`)
  await writeStderr(io, `offshoot: to watch it: offshoot log -f ${runId ?? branchId}\n`)
}

/** A script is a file, named from where the user stands. */
export function modelFor(model: string | undefined, { cwd }: Io): string | undefined {
  const [, file] = /^scripted:(.+)$/s.exec(model ?? '') ?? []
  return file && !isAbsolute(file) ? `scripted:${resolve(cwd, file)}` : model
}

import type { Context } from 'hono'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from './access.ts'

/** Absent for a request without a socket. */
interface Sockets {
  readonly incoming?: IncomingMessage
  readonly outgoing?: ServerResponse
}

export interface Env {
  readonly Bindings: Sockets
  /** The caller; unknown on public routes. */
  readonly Variables: { readonly caller: Caller }
}

export type Ctx = Context<Env>

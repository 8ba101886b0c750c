import type { Context } from 'hono'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from './access.ts'

/** Absent where no socket stands behind a request. */
interface Sockets {
  readonly incoming?: IncomingMessage
  readonly outgoing?: ServerResponse
}

export interface Env {
  readonly Bindings: Sockets
  /** Who asks; not known on routes that are open. */
  readonly Variables: { readonly caller: Caller }
}

export type Ctx = Context<Env>

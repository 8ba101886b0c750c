import type { Author } from '../core/message.ts'
import type { ConversationId } from '../core/ids.ts'
import type { paths, RouteName } from '../protocol/route-paths.ts'
import type { RouteAnswer, routes } from '../protocol/route-schemas.ts'
import type { z } from 'zod'
import type { Clock } from '../core/clock.ts'
import type { VerbAnswers, VerbCommand } from '../runtime/control/verbs.ts'
import type { Caller } from './access.ts'
import type { SecretMask } from '../core/secrets/mask.ts'
import type { Hub } from './event-hub.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { Collection, RequiredRow } from './require-row.ts'
import type { Store, DirectoryRuntimes } from './directory-runtimes.ts'

/** Dependencies of every route. */
export interface ServerContext {
  readonly store: Store
  readonly clock: Clock
  readonly directoryRuntimes: DirectoryRuntimes
  readonly hub: Hub
  readonly sessions: Sessions
  /** Masks secrets in all output. */
  readonly secrets: SecretMask
  /** Where the server was started: the default directory of conversations. */
  readonly directory: string
  readonly version: string
  /** Requests in progress. */
  readonly underway: Set<Promise<unknown>>
}

type CollectionOf<N extends RouteName> = (typeof paths)[N][1] extends `/${infer C}/:id${string}`
  ? C extends Collection
    ? C
    : never
  : never

/** A request that passed every check: only the current state can refuse it. */
export interface Exchange<N extends RouteName> {
  /** The id in the path; empty without one. */
  readonly id: string
  /** The stored row of that id. */
  readonly row: RequiredRow<CollectionOf<N>>
  readonly input: z.output<(typeof routes)[N]['input']>
  readonly caller: Caller
  /** The caller, for the record. */
  readonly by: string
  /** The author of its texts. */
  readonly author: Author
}

export type Handler<N extends RouteName> = (
  context: ServerContext,
  exchange: Exchange<N>,
) => Promise<RouteAnswer<N>> | RouteAnswer<N>

export type Handlers<N extends RouteName> = { readonly [K in N]: Handler<K> }

/** Executes a verb in the process that drives the conversation. @throws OffshootError: the verb's error. */
export async function perform<V extends VerbCommand>(
  { directoryRuntimes }: ServerContext,
  id: ConversationId,
  command: V,
): Promise<VerbAnswers[V['verb']]> {
  const { runtime, composed } = await directoryRuntimes.of(id)
  return await runtime.perform(id, command, composed)
}

type Verb = 'pause' | 'interrupt' | 'cancel' | 'background' | 'steer' | 'inbox.clear'
type CommandOf<V extends Verb> = Extract<VerbCommand, { readonly verb: V }>

/** The handler of a verb with its target in the path and its arguments in the input. */
export function performer<V extends Verb>(verb: V) {
  return (
    context: ServerContext,
    { row, input, author }: Subject<CommandOf<V>['args']>,
  ): Promise<VerbAnswers[V]> => {
    const command = {
      verb,
      target: row.id,
      args: verb === 'steer' ? { ...(input as object), author } : null,
    } as CommandOf<V>
    return perform(context, row.conversationId, command)
  }
}

interface Subject<A> {
  readonly row: { readonly id: string; readonly conversationId: ConversationId }
  readonly input: A extends null ? unknown : A
  readonly author: Author
}

import type { ConversationId } from '../../core/ids.ts'
import { bestEffort } from '../../core/rejections.ts'
import type { LiveConversation } from '../conversation/live-conversation.ts'
import type { Deps } from '../context/deps.ts'
import { answerCommands, type OpenCommands, type CommandWatch } from '../ownership/owner-commands.ts'
import { perform, type VerbPorts } from './verbs.ts'

interface Listener {
  holders: number
  readonly watch: CommandWatch
}

type CommandPorts = VerbPorts & Pick<Deps, 'ownership'>

/** Receives commands of other processes for the conversations that this one drives. */
export class CommandInbox {
  readonly #deps: CommandPorts
  readonly #liveOf: (id: ConversationId) => LiveConversation | undefined
  readonly #open = new Map<ConversationId, Listener>()
  readonly #commandsUnderWay: OpenCommands = new Map()

  /** `liveOf` looks up driven conversations. */
  constructor(deps: CommandPorts, liveOf: (id: ConversationId) => LiveConversation | undefined) {
    this.#deps = deps
    this.#liveOf = liveOf
  }

  /**
   * Answers its commands until every holder has left. The last leave settles when pending commands are answered and the
   * work that they started is done.
   */
  listen(live: LiveConversation): () => Promise<void> {
    if (!this.#deps.ownership) return async () => {} // the store is private
    const open = this.#open.get(live.id) ?? this.#startListening(live)
    open.holders++
    return async () => {
      if (--open.holders > 0) return
      while (open.holders === 0 && (await open.watch.answered())) {
        await bestEffort(live.quiet()) // the sender gets the error
      }
      if (open.holders > 0 || this.#open.get(live.id) !== open) return
      this.#open.delete(live.id)
      open.watch.end()
    }
  }

  #startListening(live: LiveConversation): Listener {
    const deps = this.#deps
    const watch = answerCommands(
      deps,
      live.id,
      async (command, answering) => {
        const driven = this.#liveOf(live.id) ?? live
        await driven.recovered
        answering.requireOpen(deps.store) // a stop starts before its answer is written
        return await perform({ deps, live: driven, ...answering }, command)
      },
      this.#commandsUnderWay,
    )
    const open = { holders: 0, watch }
    this.#open.set(live.id, open)
    return open
  }
}

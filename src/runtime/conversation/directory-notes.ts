import { relative, resolve } from 'node:path'
import { bounded } from '../../agents/bounded-text.ts'
import { MAX_NOTES_CHARS } from '../../agents/workspace-prompt.ts'
import { contextPath, type ConversationTree } from '../../core/build-context.ts'
import type { CallId } from '../../core/ids.ts'
import type { ProjectNotes } from '../../core/workspace-facts.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { FoundNotes } from '../../project/workspace-facts.ts'

/** Of all notes in one context, beside those of the directory in which the agent works. Characters. */
const MAX_ALL_CHARS = 64_000

interface DirectoryNotesPorts {
  /** The root of the whole workspace. */
  readonly root: string
  readonly find: (file: string) => FoundNotes | undefined
  /** Whether the rules let the run read a file unasked. */
  readonly mayRead: (file: string) => boolean
  readonly tree: ConversationTree
}

/** Gives a model the notes of a directory with the first file that it reads or changes there, once in a context. */
export class DirectoryNotes {
  readonly #run: Pick<LiveRun, 'agent' | 'facts' | 'row'>
  readonly #ports: DirectoryNotesPorts
  /** The characters of each that the context holds, by its path. */
  #held: Map<string, number> | undefined

  constructor(run: Pick<LiveRun, 'agent' | 'facts' | 'row'>, ports: DirectoryNotesPorts) {
    this.#run = run
    this.#ports = ports
  }

  /** Those that its model is to read with the result of a call. */
  of(callId: CallId): ProjectNotes | undefined {
    const { agent, facts } = this.#run
    const file = facts.get(callId)?.find((fact) => fact.type === 'read' || fact.type === 'changed')?.path
    if (file === undefined || agent.basePrompt === 'bare') return undefined
    const { root, find, mayRead } = this.#ports
    const found = find(resolve(root, file))
    if (!found || !mayRead(found.path)) return undefined
    const path = relative(root, found.path)
    const held = (this.#held ??= this.#inContext())
    if (held.has(path)) return undefined
    const isItself = path === relative(root, resolve(root, file))
    const text = isItself ? '' : this.#bounded(found, path, held)
    held.set(path, text.length)
    return isItself ? undefined : { path, text }
  }

  /** The context is another one: what was summarised is told again. */
  forget(): void {
    this.#held = undefined
  }

  #bounded(found: FoundNotes, path: string, held: ReadonlyMap<string, number>): string {
    const left = MAX_ALL_CHARS - [...held.values()].reduce((sum, chars) => sum + chars, 0)
    if (left <= 0) return `(left out: there is no room for more; read ${path} yourself)`
    return bounded(found.read(), Math.min(left, MAX_NOTES_CHARS), `read ${path} for the rest`)
  }

  #inContext(): Map<string, number> {
    const messages = contextPath(this.#ports.tree, this.#run.row.branchId)
    const notes = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-result' && part.output.notes ? [part.output.notes] : [])),
    )
    return new Map(notes.map(({ path, text }) => [path, text.length]))
  }
}

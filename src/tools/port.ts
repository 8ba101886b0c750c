import type { z } from 'zod'
import type { Action } from '../core/agent.ts'
import type { BranchId, CallId, ConversationId, RunId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import type { FileData } from '../core/message.ts'
import type { Fact } from '../core/receipt.ts'
import type { Guard } from '../exec/start-guard.ts'
import type { CommandCell } from './command-cell.ts'

/** `none` reads only; the others change files, start programs, use the network, or start subagents. */
export type Effects = 'none' | 'write' | 'execute' | 'network' | 'spawn'

/** What a call touches, unparsed: only the permissions room parses commands. */
export interface Subject {
  readonly kind: 'command' | 'path' | 'host' | 'name'
  readonly value: string
}

/** What the model may read of an output. The loop bounds it; the whole of a larger text becomes an artifact. */
export interface ModelOutput {
  readonly text: string
  readonly files?: readonly FileData[]
}

/**
 * One tool. Bad input never reaches `execute`: the loop parses with `inputSchema` first. `title` and `subject` are pure
 * and get parsed input. Errors are thrown as ToolError and become a failed result; the run goes on.
 */
export interface Tool<I = never, O = unknown> {
  readonly name: string
  readonly toolset: string
  /** For the model; kept in a .txt beside the code. */
  readonly description: string
  readonly inputSchema: z.ZodType<I>
  /** What the model is told of the input, where that cannot be derived from `inputSchema`. */
  readonly jsonSchema?: object
  readonly effects: Effects
  /**
   * Whether a second run with the same input changes nothing more; then it may run again after a crash (invariant R2).
   */
  readonly idempotent: boolean
  /** Whether it waits for a person: that time is nobody's stall, and a subagent has it only where it is named. */
  readonly asksPerson?: true
  /** A program that uses the library brought it: other processes may not have it. */
  readonly isOwn?: true
  /** Other names under which models know it. */
  readonly aliases?: readonly string[]
  /** Other spellings of input fields, and of the fields of objects in its lists: `path` for `file_path`. */
  readonly inputAliases?: Readonly<Record<string, string>>
  subject(input: I): readonly Subject[]
  /** One line for every UI: `Read lib/auth.ts:1-80`. */
  title(input: I): string
  /** What a person must see before it may happen, beyond its subjects: the text or the diff. */
  detail?(input: I, context: Pick<ToolContext, 'workspace' | 'files'>): string | Promise<string>
  execute(input: I, context: ToolContext): Promise<O>
  /** Removes what a call leaves beside its effect when its process ends in the middle of it; its effect stays as it is. */
  cleanUp?(input: I, context: Pick<ToolContext, 'workspace' | 'run'>): Promise<void>
  toModelOutput(output: O): ModelOutput
  /** Of a tool that runs a program: its exit code, for the record. */
  exitCode?(output: O): number | null
}

/** A tool whose types the registry has forgotten; the loop hands it only input that its own schema has parsed. */
export type AnyTool = Tool<never, unknown>

export interface ToolContext {
  readonly signal: AbortSignal
  readonly workspace: Workspace
  readonly run: RunRef
  /** What this branch has read, so that a write can tell that a file changed since. */
  readonly files: FileLedger
  readonly todos: Todos
  /** What a program said about the conversation, for its own tools; absent: nothing. */
  readonly context?: Json | undefined
  /** Marks and settings for the environment of child processes. */
  readonly processMarks: Readonly<Record<string, string>>
  /** The guard of every child process (invariant R6). */
  readonly guard?: Guard
  /** Where commands run; absent: on this machine as it is. */
  readonly cell?: CommandCell | undefined
  /** The call's paths as they were when it was decided; a path that leads elsewhere by now is refused. */
  readonly decidedPaths?: readonly ResolvedPath[]
  /** What the rules say of something that this call would touch beyond its subjects; nobody is asked. Absent: `ask`. */
  decide?(tool: Pick<AnyTool, 'name' | 'toolset' | 'effects'>, subject: Subject): Action
  /** Waits for what a person answers. Absent: there is nobody. @throws ToolError where there is no answer. */
  ask?(question: PersonQuestion): Promise<string>
  /** Live output for people; not stored, not sent to the model. */
  emit(text: string): void
  /** What the tool has just done, for the receipts of the run; paths are absolute. To be said once it is done. */
  receipt?(fact: Fact): void
}

export interface PersonQuestion {
  readonly question: string
  /** Answers to choose from; any other text is one too. */
  readonly options: readonly string[]
}

export interface RunRef {
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly runId: RunId
  readonly callId: CallId
  readonly agent: string
  readonly depth: number
}

/** A path after symlinks, `..` and case were resolved; what does not exist yet keeps its last names as they are. */
export interface ResolvedPath {
  readonly absolute: string
  /** Relative to the workspace root with `/`; `.` for the root itself; the absolute path where it is outside. */
  readonly relative: string
  readonly outside: boolean
  /**
   * Files that always ask: version control, rules in force, what looks like a secret; skills only when they are
   * changed.
   */
  readonly guarded: 'git' | 'config' | 'secret' | 'skill' | null
}

export interface Workspace {
  /** The real path of the root directory. */
  readonly root: string
  /** The root of the whole workspace, where this is only a directory that an agent works in. */
  readonly top?: string
  resolve(path: string): ResolvedPath
}

export interface FileStamp {
  readonly size: number
  readonly mtimeMs: number
  /** SHA-256 of the content, hex. */
  readonly hash: string
}

export interface FileLedger {
  seen(absolutePath: string): FileStamp | undefined
  record(absolutePath: string, stamp: FileStamp): void
}

export interface TodoItem {
  readonly text: string
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
}

export interface Todos {
  list(): readonly TodoItem[]
  /** Resolves when it is stored. */
  replace(items: readonly TodoItem[]): Promise<void>
}

/** Why a call failed, in words that the model can act on. */
export class ToolError extends Error {
  readonly code: string
  readonly hint: string | undefined

  constructor(code: string, message: string, hint?: string) {
    super(message)
    this.name = 'ToolError'
    this.code = code
    this.hint = hint
  }
}

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
  readonly kind: 'command' | 'path' | 'host' | 'name' | 'sandbox_network' | 'sandbox_write'
  readonly value: string
}

/** The part of an output that the model may read. The loop bounds it; a larger text becomes an artifact. */
export interface ModelOutput {
  readonly text: string
  readonly files?: readonly FileData[]
}

/**
 * One tool. Invalid input never reaches `execute`: the loop parses with `inputSchema` first. `title` and `subject` are
 * pure and receive parsed input. Errors are thrown as ToolError and become a failed result; the run continues.
 */
export interface Tool<I = never, O = unknown> {
  readonly name: string
  readonly toolset: string
  /** For the model; from a .txt beside the code. */
  readonly description: string
  readonly inputSchema: z.ZodType<I>
  /** The input schema for the model, if it cannot be derived from `inputSchema`. */
  readonly jsonSchema?: object
  readonly effects: Effects
  /**
   * Whether a second run with the same input changes nothing further; then the call may run again after a crash
   * (invariant R2).
   */
  readonly idempotent: boolean
  /** Whether its commands start in the run's cell, if there is one. */
  readonly usesCell?: true
  /**
   * Whether it waits for a person. That time is not a stall, and a subagent has the tool only if its own tools name it.
   */
  readonly asksPerson?: true
  /** Defined by a program that uses the library: other processes may lack it. */
  readonly isOwn?: true
  /** Other names that models use for it. */
  readonly aliases?: readonly string[]
  /** Alternative names of input fields, and of fields of objects in its lists: `path` for `file_path`. */
  readonly inputAliases?: Readonly<Record<string, string>>
  subject(input: I): readonly Subject[]
  /** One line for every UI: `Read lib/auth.ts:1-80`. */
  title(input: I): string
  /** What a person must see before the call may run, besides its subjects: the text or the diff. */
  detail?(input: I, context: Pick<ToolContext, 'workspace' | 'files'>): string | Promise<string>
  execute(input: I, context: ToolContext): Promise<O>
  /** Removes leftovers of a call whose process exited midway; completed effects stay. */
  cleanUp?(input: I, context: Pick<ToolContext, 'workspace' | 'run'>): Promise<void>
  toModelOutput(output: O): ModelOutput
  /** For a tool that runs a program: its exit code. */
  exitCode?(output: O): number | null
}

/** A tool with erased types; the loop passes it only input parsed by its own schema. */
export type AnyTool = Tool<never, unknown>

export interface ToolContext {
  readonly signal: AbortSignal
  readonly workspace: Workspace
  readonly run: RunRef
  /** Files that this branch has read, so that a write can detect later changes. */
  readonly files: FileLedger
  readonly todos: Todos
  /** The chat's `context` for custom tools; absent: none. */
  readonly context?: Json | undefined
  /** Marks and settings for the environment of child processes. */
  readonly processMarks: Readonly<Record<string, string>>
  /** Ends every child process when this process exits (invariant R6). */
  readonly guard?: Guard
  /** Where commands run; absent: directly on this machine. */
  readonly cell?: CommandCell | undefined
  /** The call's paths when it was decided; a path with another target now is refused. */
  readonly decidedPaths?: readonly ResolvedPath[]
  /** The rules' decision about something that the call touches beyond its subjects; never asks. Absent: `ask`. */
  decide?(tool: Pick<AnyTool, 'name' | 'toolset' | 'effects'>, subject: Subject): Action
  /** Waits for a person's answer. Absent: nobody can answer. @throws ToolError without an answer. */
  ask?(question: PersonQuestion): Promise<string>
  /** Live output for people; not stored, not sent to the model. */
  emit(text: string): void
  /** Records what the tool has done, for the run's receipts; paths are absolute. Call it after the effect. */
  receipt?(fact: Fact): void
}

export interface PersonQuestion {
  readonly question: string
  /** Suggested answers; any other text is allowed too. */
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

/** A path after resolving symlinks, `..` and case; names that do not exist yet stay unchanged. */
export interface ResolvedPath {
  readonly absolute: string
  /** Relative to the workspace root with `/`; `.` for the root itself; the absolute path outside it. */
  readonly relative: string
  readonly outside: boolean
  /** Files that always ask: version control, active rules, probable secrets; skills only when changed. */
  readonly guarded: 'git' | 'config' | 'secret' | 'skill' | null
  /** A link of /proc leads there from this process; from a command it may lead elsewhere. */
  readonly ownView?: true
}

export interface Workspace {
  /** The real path of the root directory. */
  readonly root: string
  /** The root of the whole workspace, if this is only an agent's directory within it. */
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

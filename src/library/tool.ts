import { z } from 'zod'
import type { Clock } from '../core/clock.ts'
import { OffshootError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { FileData } from '../core/message.ts'
import { defineTool } from '../tools/define-tool.ts'
import { ToolError, type AnyTool, type ModelOutput, type RunRef, type Subject } from '../tools/port.ts'
import { createRegistry, plain, type Registry } from '../tools/registry.ts'
import { discoveryNames } from '../runtime/delegation/discovery/discovery.ts'
import { isControlName, isTaskName } from '../runtime/task/task-input.ts'
import { isToolName } from '../runtime/authority/exposed-agents.ts'
import { inputProblem } from './input-problem.ts'
import { checkOptions, functionSchema } from './check-options.ts'
import { modelText } from './tool-output-text.ts'
import { kindOf } from './value-kind.ts'

/** A tool defined in code, as `tool` takes it. `S` is its input schema, `O` its return type. */
export interface ToolDefinition<S extends z.ZodType<unknown, object>, O> {
  /** Letters, digits, `_` and `-`, at most 64; unique among the tools of the program. */
  readonly name: string
  /** When and how to use it, for the model. */
  readonly description: string
  /**
   * A zod 4 object schema (no union) with synchronous checks. Invalid input never reaches `execute`: the model gets the
   * error.
   */
  readonly inputSchema: S
  /**
   * Effect on the world. `none` runs without asking, in parallel with other calls, and again after a crash. Rules
   * decide about the others and ask if no rule matches. Default: `execute`.
   */
  readonly effects?: OwnEffects
  /** Whether a second run with the same input changes nothing more; then it may run again after a crash. */
  readonly idempotent?: boolean
  /** Toolset name under which rules can match it. Default: `own`. */
  readonly toolset?: string
  /** Time after which a call fails, milliseconds; `signal` then aborts. Default: 120,000. */
  readonly timeoutMs?: number
  /** One line for people. Default: the name and the input. */
  readonly title?: (input: z.output<S>) => string
  /** What it touches, for patterns of rules. Default: only its name. */
  readonly subject?: (input: z.output<S>) => readonly Subject[]
  /**
   * Does the work. A thrown error becomes a failed call that the model reads; the run continues. A call that ignores
   * `signal` is abandoned; one that blocks the event loop blocks the program.
   */
  readonly execute: (input: z.output<S>, context: OwnToolContext) => O | Promise<O>
  /** Result for the model. Default: a string as it is, anything else as JSON, at most 4 Mi characters. */
  readonly toModelOutput?: (output: O) => string | ModelOutput
}

export type OwnEffects = 'none' | 'write' | 'execute' | 'network'

export interface OwnToolContext {
  /** Aborts when the run stops or the call times out. */
  readonly signal: AbortSignal
  /** Ids of the run and the call. */
  readonly run: RunRef
  /** The directory of the conversation. */
  readonly directory: string
  /** The `context` of the chat, also after a recovery; undefined if it has none. Each call gets a copy. */
  readonly context: Json | undefined
  /** Emits live output for people as a `tool.output` event. It is neither stored nor sent to the model. */
  emit(text: string): void
}

declare const made: unique symbol

/** Return type of `tool`. */
export interface OwnTool {
  readonly name: string
  readonly [made]: 'tool'
}

/**
 * Defines a tool in code. `inputSchema` determines the types of `execute`. @throws OffshootError `usage` for an invalid
 * definition.
 */
export function tool<S extends z.ZodType<unknown, object>, O>(definition: ToolDefinition<S, O>): OwnTool {
  checkTool(definition, 'tool')
  return definition as unknown as OwnTool
}

type AnyDefinition = ToolDefinition<z.ZodType<unknown, object>, unknown>

const DEFAULT_TIMEOUT_MS = 120_000

/** The built-in tools plus these. @throws OffshootError `usage` for an invalid tool or a name already in use. */
export function withTools(
  { tools, clock }: { readonly tools: Registry; readonly clock: Clock },
  own: readonly unknown[],
  where: string,
): Registry {
  const all = [...tools.list()]
  for (const [i, each] of own.entries()) {
    const one = runtimeTool(each, clock, `${where}: tools.${i}`)
    if (all.some(({ name }) => name === one.name))
      throw new OffshootError('usage', `${where}: two tools are named ${one.name}`)
    refuseSpelling(one.name, tools, where)
    all.push(one)
  }
  return createRegistry(all)
}

/**
 * Case and underscores do not matter in a call, so `Bash` or `web_fetch` would be one name for two tools. An alias of a
 * built-in tool, such as `search`, is free: the exact name comes first.
 */
function refuseSpelling(name: string, tools: Registry, where: string): void {
  const taken = tools.list().find((tool) => plain(tool.name) === plain(name))
  if (!taken) return
  const why = `a tool cannot be named ${name}: calls do not distinguish it from the tool ${taken.name}`
  throw new OffshootError('usage', `${where}: ${why}`, {
    hint: `choose another name, such as my_${taken.name}`,
  })
}

/** Converts to the runtime's form. */
function runtimeTool(own: unknown, clock: Clock, where: string): AnyTool {
  const definition = checkTool(own, where)
  const { name, description, inputSchema, effects = 'execute', idempotent = effects === 'none' } = definition
  const {
    toolset = 'own',
    title,
    subject,
    toModelOutput = (output) => ({ text: modelText(output) }),
  } = definition
  return defineTool<unknown, unknown>({
    name,
    toolset,
    description,
    inputSchema,
    effects,
    idempotent,
    isOwn: true,
    subject: (input) =>
      subject
        ? shownSubjects(
            name,
            readable(() => subject(input)),
          )
        : [],
    title: (input) =>
      title
        ? shownTitle(
            name,
            readable(() => title(input)),
          )
        : `${name} ${modelText(input).slice(0, 200)}`,
    execute: (input, context) => executeInTime(definition, clock, input, context),
    toModelOutput: (output) =>
      shownOutput(
        name,
        readable(() => toModelOutput(output)),
      ),
  })
}

async function executeInTime(
  { name, execute, timeoutMs = DEFAULT_TIMEOUT_MS }: AnyDefinition,
  clock: Clock,
  input: unknown,
  { signal, run, workspace, context: about, emit }: Parameters<AnyTool['execute']>[1],
): Promise<unknown> {
  const timeout = new AbortController()
  const { promise: over, reject } = Promise.withResolvers<never>()
  const cancel = clock.after(timeoutMs, () => {
    const error = new ToolError('timeout', `${name} did not finish within ${timeoutMs} ms`)
    timeout.abort(error)
    reject(error)
  })
  const context: OwnToolContext = {
    signal: AbortSignal.any([signal, timeout.signal]),
    run,
    directory: workspace.root,
    context: structuredClone(about),
    emit,
  }
  try {
    return await Promise.race([execute(input, context), over])
  } catch (error) {
    throw readableError(error)
  } finally {
    cancel()
  }
}

function readable<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw readableError(error)
  }
}

/** Converts any thrown value, even a proxy, to an error that is safe to inspect. */
function readableError(error: unknown): unknown {
  try {
    void (error instanceof Error)
    return error
  } catch {
    return new Error('the thrown value cannot be read')
  }
}

function shownTitle(name: string, title: unknown): string {
  if (typeof title === 'string') return title
  throw new ToolError('tool_error', `${name} did not run: its title must be a string, not ${kindOf(title)}`)
}

function shownSubjects(name: string, subjects: unknown): readonly Subject[] {
  const parsed = z.array(subjectSchema).safeParse(subjects)
  if (parsed.success) return parsed.data
  throw new ToolError(
    'tool_error',
    `${name} did not run: its subject must be a list of {kind, value}, where kind is ${KINDS.join(', ')}`,
  )
}

const MAX_FILE_CHARS = 16 * 1024 * 1024
const shownSchema = z.union([
  z.string().transform((text) => ({ text })),
  z.object({
    text: z.string(),
    files: z
      .array(
        z.object({
          mediaType: z.string(),
          data: z.string().max(MAX_FILE_CHARS),
          filename: z.string().optional(),
        }),
      )
      .max(20)
      .optional(),
  }),
])

function shownOutput(name: string, value: unknown): ModelOutput {
  const parsed = shownSchema.safeParse(value)
  if (!parsed.success)
    throw new ToolError(
      'tool_error',
      `${name} ran, but toModelOutput returned neither a string nor {text, files?}`,
    )
  const { text, files } = parsed.data as { text: string; files?: readonly FileData[] }
  return { text: modelText(text), ...(files ? { files } : {}) }
}

const KINDS = ['command', 'path', 'host', 'name'] as const
const subjectSchema = z.object({ kind: z.enum(KINDS), value: z.string() })

const definitionSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z][\w-]{0,63}$/, 'expected letters, digits, _ and -, at most 64'),
  description: z.string().min(1),
  inputSchema: z.custom<AnyDefinition['inputSchema']>(isZodSchema, 'expected a schema of zod 4'),
  effects: z.enum(['none', 'write', 'execute', 'network']).optional(),
  idempotent: z.boolean().optional(),
  toolset: z.string().min(1).optional(),
  timeoutMs: z.int().min(1).optional(),
  title: functionSchema.optional(),
  subject: functionSchema.optional(),
  execute: functionSchema,
  toModelOutput: functionSchema.optional(),
})

function checkTool(value: unknown, where: string): AnyDefinition {
  const { name, inputSchema } = checkOptions(definitionSchema, value, where)
  const refuse = (why: string) => new OffshootError('usage', `${where} ${name}: ${why}`)
  if (isTaskName(name) || isControlName(name) || discoveryNames.some((each) => isToolName(name, each)))
    throw refuse('a tool of the runtime has this name')
  const problem = inputProblem(inputSchema)
  if (problem) throw refuse(`inputSchema: ${problem}`)
  return value as AnyDefinition
}

/** Detected by its mark, so that schemas of another copy of zod work. */
export function isZodSchema(value: unknown): value is z.ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value && 'safeParse' in value
}

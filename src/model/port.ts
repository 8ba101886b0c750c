import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Effort, JsonSchema } from '../core/agent.ts'
import type { ContextMessage } from '../core/build-context.ts'
import type { ModelSettings } from '../core/model-settings.ts'

/** US dollars per million tokens. */
export interface TokenPrice {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

export interface Price extends TokenPrice {
  /** Price of a request with more input tokens than this. */
  readonly long?: TokenPrice & { readonly overTokens: number }
}

export interface ModelInfo {
  /** `provider/model`, or the bare name of a local one: `offline`, `scripted`. */
  readonly id: string
  readonly provider: string
  /** Display name; says so if it is not a language model. */
  readonly label: string
  /** Context window in tokens; null: unknown. */
  readonly window: number | null
  /** Longest answer in tokens; null: unknown. */
  readonly maxOutput: number | null
  /** null: unknown, so costs are null too, never 0. */
  readonly price: Price | null
  /** It follows fixed rules: instructions make no difference. */
  readonly fixed?: boolean
}

export interface ToolSchema {
  readonly name: string
  readonly description: string
  /** JSON Schema (draft 7) of the input. */
  readonly inputSchema: object
}

export interface ModelRequest extends ModelSettings {
  readonly messages: readonly ContextMessage[]
  readonly tools: readonly ToolSchema[]
  /** `none`: the tools are included so that earlier calls stay valid, but must not be called. */
  readonly toolChoice: 'auto' | 'none'
  /** Reasoning effort; ignored by models without that option. */
  readonly effort?: Effort
  /** The text of the answer is to be a value of this schema; a provider that cannot be told so is asked without. */
  readonly answerSchema?: JsonSchema
  /** Of requests that begin with the same messages. */
  readonly cacheKey?: string
  /** The asking agent: local models choose their role by it. */
  readonly agent: string
  readonly depth: number
  readonly signal: AbortSignal
}

export type ModelPart = LanguageModelV4StreamPart
export type ModelUsage = LanguageModelV4Usage

/** The parts of an answer, for one reader. A ReadableStream works, and so does anything cheaper per part. */
export interface ModelStream {
  getReader(): ModelReader
}

export interface ModelReader {
  read(): Promise<ModelRead>
  /** Nothing more is wanted: cancels a pending read and the request. */
  cancel(reason?: unknown): Promise<void>
}

export type ModelRead =
  | { readonly done: false; readonly value: ModelPart }
  | { readonly done: true; readonly value?: ModelPart | undefined }

/** A model as the loop sees it. */
export interface Model {
  readonly info: ModelInfo
  /**
   * One request. @throws ProviderError; `abort` rejects with the signal's reason. An error may also arrive as a part.
   */
  stream(request: ModelRequest): Promise<ModelStream>
}

/** Finds a model by its id. @throws OffshootError `usage` (unknown), `key` (no credentials). */
export type ResolveModel = (id: string) => Promise<Model>

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
  /** What a request costs whose whole input has more tokens than this. */
  readonly long?: TokenPrice & { readonly overTokens: number }
}

export interface ModelInfo {
  /** `provider/model`, or the bare name of a local one: `offline`, `scripted`. */
  readonly id: string
  readonly provider: string
  /** For people, wherever the model is named; says of a model that is none that it is none. */
  readonly label: string
  /** Context window in tokens; null where it is not known. */
  readonly window: number | null
  /** Largest answer in tokens; null where it is not known. */
  readonly maxOutput: number | null
  /** null: unknown, so costs are null too, never 0. */
  readonly price: Price | null
  /** It answers by rules: what an instruction says makes no difference to it. */
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
  /** `none`: the tools are shown so that earlier calls stay valid, but must not be called. */
  readonly toolChoice: 'auto' | 'none'
  /** How much it is to reason; a model that cannot be told is asked without. */
  readonly effort?: Effort
  /** The text of the answer is to be a value of this schema; a provider that cannot be told so is asked without. */
  readonly answerSchema?: JsonSchema
  /** Calls may come before that text: only a provider that keeps its tools usable is told of the schema. */
  readonly callsFirst?: boolean
  /** Of requests that begin with the same messages. */
  readonly cacheKey?: string
  /** The agent that asks: local models pick their role by it. */
  readonly agent: string
  readonly depth: number
  readonly signal: AbortSignal
}

export type ModelPart = LanguageModelV4StreamPart
export type ModelUsage = LanguageModelV4Usage

/** The parts of an answer, for one reader. A ReadableStream is one; what costs less for each part may stand for it. */
export interface ModelStream {
  getReader(): ModelReader
}

export interface ModelReader {
  read(): Promise<ModelRead>
  /** Nothing more is wanted: what is waited for ends, and the request with it. */
  cancel(reason?: unknown): Promise<void>
}

export type ModelRead =
  | { readonly done: false; readonly value: ModelPart }
  | { readonly done: true; readonly value?: ModelPart | undefined }

/** A model as the loop sees it. */
export interface Model {
  readonly info: ModelInfo
  /** One request. @throws ProviderError; `abort` rejects with the signal's reason. An error may also come as a part. */
  stream(request: ModelRequest): Promise<ModelStream>
}

/** Finds a model by its id. @throws OffshootError `usage` (unknown), `key` (no credentials). */
export type ResolveModel = (id: string) => Promise<Model>

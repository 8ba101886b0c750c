import type { NewId } from './ids.ts'
import type { Json } from './json.ts'
import type { Part, ToolCallPart, ToolOutput, ToolResultPart } from './message.ts'
import { discoveryAliases, plainName } from './rules/tool-names.ts'
import { isEnveloped, resultForModel } from './report/report-envelope.ts'

/** The tool whose calls contain calls of other tools (docs/discovery.md). */
export const USE_TOOL = 'use_tool'

/** Most calls in one such call. */
export const MAX_INNER_CALLS = 50

/**
 * The calls inside a `use_tool` call, as if the model had made each one itself; the call itself if it has no list of
 * calls. An unreadable entry stays a `use_tool` call of its own, so that its schema reports the error.
 */
export function innerCalls(outer: ToolCallPart, newId: NewId): readonly ToolCallPart[] {
  const list = outer.invalid === undefined ? listOf(outer.input) : []
  if (list.length === 0 || list.length > MAX_INNER_CALLS) return [outer]
  return list.map((entry, index) => {
    const { metadata } = outer
    const place =
      index === 0
        ? { id: outer.id, callId: outer.callId, ...(metadata ? { metadata } : {}) }
        : { id: newId('prt'), callId: newId('cal') }
    return { ...place, type: 'tool-call', ...readEntry(entry, index) }
  })
}

/** The parts of an answer as the model gave it: inner calls go back into their outer call. */
export function foldCalls(parts: readonly Part[]): readonly Part[] {
  const calls = parts.filter((part) => part.type === 'tool-call')
  if (!calls.some((call) => call.via)) return parts
  const groups = new Map<Part, readonly ToolCallPart[]>(groupsOf(calls).map((group) => [group[0]!, group]))
  return parts.flatMap((part) => {
    const group = groups.get(part)
    if (group) return [group[0]!.via ? outerCall(group) : part]
    return part.type === 'tool-call' ? [] : [part]
  })
}

/** The results of these calls in order, as the model reads them: one for each call that it made. */
export function foldResults(
  calls: readonly ToolCallPart[],
  stored: readonly ToolResultPart[],
): readonly ToolResultPart[] {
  const results = stored.some(({ output }) => isEnveloped(output)) ? stored.map(resultForModel) : stored
  if (!calls.some((call) => call.via)) return results
  let next = 0
  return groupsOf(calls).map((group) => {
    const own = results.slice(next, (next += group.length))
    return group[0]!.via ? outerResult(own) : own[0]!
  })
}

function groupsOf(calls: readonly ToolCallPart[]): ToolCallPart[][] {
  const groups: ToolCallPart[][] = []
  for (const call of calls) {
    const last = groups.at(-1)
    if (call.via && call.via.index > 0 && last?.[0]!.via) last.push(call)
    else groups.push([call])
  }
  return groups
}

type Fields = { readonly [key: string]: Json | undefined }

/** Some models send a list as text, or a single call without a list. */
function listOf(input: Json): readonly Json[] {
  const calls = isFields(input) ? (fromText(input['calls']) ?? null) : null
  if (Array.isArray(calls)) return calls as readonly Json[]
  return isFields(calls) ? [calls] : []
}

function readEntry(
  entry: Json,
  index: number,
): Pick<ToolCallPart, 'tool' | 'input' | 'invalid'> & Required<Pick<ToolCallPart, 'via'>> {
  const { tool, params, toolset, agent } = isFields(entry) ? entry : {}
  const named = toolset ?? agent ?? undefined
  const isClear = (toolset ?? named) === (agent ?? named) && ['undefined', 'string'].includes(typeof named)
  if (typeof tool !== 'string' || tool.trim() === '' || isUseTool(tool) || !isClear)
    return { tool: USE_TOOL, input: { calls: [entry] }, via: { index } }
  const via = { index, ...(named === undefined ? {} : { toolset: named as string }) }
  return { tool: tool.slice(0, MAX_NAME_CHARS), ...readParams(params), via }
}

const MAX_NAME_CHARS = 200

const useToolNames = new Set([USE_TOOL, ...discoveryAliases[USE_TOOL]].map(plainName))

function isUseTool(name: string): boolean {
  return useToolNames.has(plainName(name))
}

/** Keeps a value that is not an object as text, for the error message. */
function readParams(params: Json | undefined): Pick<ToolCallPart, 'input' | 'invalid'> {
  const value = fromText(params) ?? {}
  if (isFields(value)) return { input: value }
  return { input: {}, invalid: typeof params === 'string' ? params : JSON.stringify(value) }
}

function fromText(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return value
  if (value.trim() === '') return undefined
  try {
    return JSON.parse(value) as Json
  } catch {
    return value
  }
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function outerCall(group: readonly ToolCallPart[]): ToolCallPart {
  const { id, callId, metadata } = group[0]!
  const input = { calls: group.map(entryOf) }
  return { id, type: 'tool-call', callId, tool: USE_TOOL, input, ...(metadata ? { metadata } : {}) }
}

function entryOf({ tool, input, invalid, via }: ToolCallPart): Json {
  const held = tool === USE_TOOL && isFields(input) ? input['calls'] : undefined
  if (Array.isArray(held)) return held[0] as Json
  return { ...(via?.toolset === undefined ? {} : { toolset: via.toolset }), tool, params: invalid ?? input }
}

function outerResult(results: readonly ToolResultPart[]): ToolResultPart {
  const { id, callId, status } = results[0]!
  const isOne = results.every((each) => each.status === status)
  const output = results.length === 1 ? results[0]!.output : joined(results)
  return { id, type: 'tool-result', callId, tool: USE_TOOL, status: isOne ? status : 'completed', output }
}

function joined(results: readonly ToolResultPart[]): ToolOutput {
  const texts = results.map(
    ({ tool, status, output }, at) =>
      `[call ${at + 1} of ${results.length}: ${tool}, ${status}]\n${output.text}`,
  )
  const files = results.flatMap(({ output }) => output.files ?? [])
  return { text: texts.join('\n\n'), ...(files.length > 0 ? { files } : {}) }
}

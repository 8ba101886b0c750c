import type { EventOf, OffshootEvent } from '../../core/events.ts'
import type { MessageId } from '../../core/ids.ts'
import type { Part } from '../../core/message.ts'
import type { RunResult } from '../../runtime/views/run-result.ts'
import { assistantBlocks, toolResultBlock, userBlocks } from './content-blocks.ts'
import type { StreamFacts } from './stream-facts.ts'
import { initLine } from './init-line.ts'
import type { Envelope, StreamLine } from './stream-line.ts'
import { resultLine, type PermissionDenial } from './result-line.ts'
import { stopReason } from './stop-reason.ts'
import { createTree, type SeenRun, type Tree } from './run-tree.ts'
import { notificationLine, progressLine, startedLine } from './task-lines.ts'
import { usageShape } from './usage-shape.ts'

/**
 * Turns the events of a conversation into the lines that parsers of Claude Code's `stream-json` read: `init` first, then
 * `take` for each durable event in the order of `seq`, and `end` last, once. Live events say nothing new and are passed
 * over, so a stored conversation gives the same lines as one that is watched.
 */
export interface StreamJson {
  init(): StreamLine
  push(event: OffshootEvent): readonly StreamLine[]
  end(result: RunResult): StreamLine
}

export function createStreamJson(facts: StreamFacts): StreamJson {
  const tree = createTree()
  const parts = new Map<MessageId, Part[]>()
  const denials: PermissionDenial[] = []
  const envelope = () => ({ uuid: facts.newUuid(), session_id: facts.conversationId })
  const scene: Scene = { facts, tree, parts, denials, envelope }
  return {
    init: () => initLine(facts, envelope()),
    push(event) {
      tree.push(event)
      return [...messageLines(event, scene), ...taskLines(event, scene)]
    },
    end: (result) =>
      resultLine(result, { model: facts.model, modelMs: tree.modelMs(), denials, envelope: envelope() }),
  }
}

interface Scene {
  readonly facts: StreamFacts
  readonly tree: Tree
  /** Of messages that are not complete yet. */
  readonly parts: Map<MessageId, Part[]>
  readonly denials: PermissionDenial[]
  readonly envelope: () => Envelope
}

function messageLines(event: OffshootEvent, scene: Scene): readonly StreamLine[] {
  switch (event.type) {
    case 'part.completed':
      return takePart(event, scene)
    case 'message.completed': {
      const parts = scene.parts.get(event.messageId) ?? []
      scene.parts.delete(event.messageId)
      if (event.role === 'assistant') return assistantLines(event, parts, scene)
      return event.role === 'user' ? userLines(event, parts, scene) : []
    }
    case 'tool.denied':
      noteDenial(event, scene)
      return []
    default:
      return []
  }
}

/** A result is told when it is there, not when the batch is: the others may take long, or never come. */
function takePart(event: EventOf<'part.completed'>, scene: Scene): readonly StreamLine[] {
  const part = event.part as unknown as Part
  if (part.type === 'tool-result') return [userLine(event, [toolResultBlock(part)], scene)]
  const known = scene.parts.get(event.messageId)
  if (known) known.push(part)
  else scene.parts.set(event.messageId, [part])
  return []
}

function assistantLines(
  event: EventOf<'message.completed'>,
  parts: readonly Part[],
  scene: Scene,
): readonly StreamLine[] {
  const aborted = event.state === 'interrupted'
  const content = assistantBlocks(parts, aborted)
  if (content.length === 0) return []
  const usage = scene.facts.message(event.messageId)?.usage
  scene.tree.addTokens(event, usage)
  const calls = content.some((block) => block.type === 'tool_use')
  const message = {
    id: event.messageId,
    type: 'message',
    role: 'assistant',
    model: scene.tree.run(event)?.model ?? scene.facts.model,
    content,
    stop_reason: aborted ? null : stopOf(event, calls),
    stop_sequence: null,
    stop_details: null,
    container: null,
    context_management: null,
    diagnostics: null,
    usage: usageShape(usage),
  }
  return [{ type: 'assistant', message, ...placeOf(event, scene), ...(aborted ? { aborted } : {}) }]
}

/** An answer that was cut, or ended by its provider, says so; any other by what it has. */
function stopOf({ finishReason: finish = 'stop' }: EventOf<'message.completed'>, hasCalls: boolean): string {
  if (finish === 'stop' || finish === 'tool_calls') return hasCalls ? 'tool_use' : 'end_turn'
  return stopReason(finish) ?? 'end_turn'
}

/** What a person wrote to the main branch is input and is not repeated. */
function userLines(
  event: EventOf<'message.completed'>,
  parts: readonly Part[],
  scene: Scene,
): readonly StreamLine[] {
  if (event.depth === 0 && scene.facts.message(event.messageId)?.runId === null) return []
  const content = userBlocks(parts)
  if (content.length === 0) return []
  const line = userLine(event, content, scene)
  return [event.depth === 0 ? { ...line, isSynthetic: true } : line]
}

function userLine(event: OffshootEvent, content: readonly object[], scene: Scene): StreamLine {
  return { type: 'user', message: { role: 'user', content }, ...placeOf(event, scene) }
}

function placeOf(event: OffshootEvent, { tree, envelope }: Scene) {
  return {
    parent_tool_use_id: tree.parentCall(event),
    ...(event.depth > 0 ? subagentFields(event, tree.run(event)) : {}),
    timestamp: new Date(event.at).toISOString(),
    ...envelope(),
  }
}

function subagentFields({ branchId }: OffshootEvent, run: SeenRun | undefined) {
  const about = run ? { subagent_type: run.agent, task_description: run.description } : {}
  return { agent_id: branchId, ...about }
}

/** Calls that were denied because nobody could answer, as in the `json` format. */
function noteDenial(event: EventOf<'tool.denied'>, { denials }: Scene): void {
  if (event.error?.code !== 'unattended') return
  const { tool, callId, input } = event
  const tool_input = typeof input === 'object' && input !== null ? input : {}
  denials.push({ tool_name: tool, tool_use_id: callId, tool_input })
}

function taskLines(event: OffshootEvent, { tree, envelope }: Scene): readonly StreamLine[] {
  const run = tree.run(event)
  if (!run || event.depth === 0) return []
  switch (event.type) {
    case 'run.queued':
    case 'run.started':
    case 'run.resumed':
      return tree.open(run) ? [startedLine(event, run, tree, envelope())] : []
    case 'tool.started':
      return [progressLine(event, run, tree, envelope())]
    case 'run.completed':
    case 'run.failed':
    case 'run.paused':
    case 'run.cancelled':
      return tree.close(run) ? [notificationLine(event, run, tree, envelope())] : []
    default:
      return []
  }
}

import type { EventOf } from '../../core/events.ts'
import { headline } from '../../core/report-summary.ts'
import type { Envelope, StreamLine } from './stream-line.ts'
import type { SeenRun, Tree } from './run-tree.ts'

type Started = EventOf<'run.queued' | 'run.started' | 'run.resumed'>
type Stopped = EventOf<'run.completed' | 'run.failed' | 'run.paused' | 'run.cancelled'>

/** `task_started`: a subagent's run has been accepted, or goes on after a pause. */
export function startedLine(event: Started, run: SeenRun, tree: Tree, envelope: Envelope): StreamLine {
  const parent = tree.parent(run)
  return {
    ...taskFields('task_started', event, tree),
    description: run.description,
    subagent_type: run.agent,
    is_backgrounded: run.background,
    spawn_depth: event.depth,
    ...(parent && event.depth > 1 ? { parent_task_id: parent.branchId } : {}),
    task_type: 'local_agent',
    ...(event.input === undefined ? {} : { prompt: event.input }),
    ...envelope,
  }
}

/** `task_progress`: a subagent has begun a tool call. Tokens are those of its answers so far. */
export function progressLine(
  event: EventOf<'tool.started'>,
  run: SeenRun,
  tree: Tree,
  envelope: Envelope,
): StreamLine {
  return {
    ...taskFields('task_progress', event, tree),
    description: run.description,
    subagent_type: run.agent,
    usage: taskUsage(run.tokens, run.toolUses, event.at - run.startedAt),
    last_tool_name: event.tool,
    summary: event.title,
    ...envelope,
  }
}

/** `task_notification`: a subagent's run has stopped. The format has no pause: that is `stopped`, with why in the summary. */
export function notificationLine(event: Stopped, run: SeenRun, tree: Tree, envelope: Envelope): StreamLine {
  const { usage, toolCalls, at } = event
  return {
    ...taskFields('task_notification', event, tree),
    status: statusOf(event),
    output_file: '',
    summary: summaryOf(event),
    usage: taskUsage(usage.input + usage.output, toolCalls, at - run.startedAt),
    ...envelope,
  }
}

function taskFields(subtype: string, event: Started | Stopped | EventOf<'tool.started'>, tree: Tree) {
  const { branchId: task_id, runId: run_id } = event
  return { type: 'system', subtype, task_id, run_id, tool_use_id: tree.parentCall(event) } as const
}

function taskUsage(total_tokens: number, tool_uses: number, duration_ms: number) {
  return { total_tokens, tool_uses, duration_ms }
}

function statusOf({ type }: Stopped): 'completed' | 'failed' | 'stopped' {
  switch (type) {
    case 'run.completed':
      return 'completed'
    case 'run.failed':
      return 'failed'
    default:
      return 'stopped'
  }
}

function summaryOf({ status, reason, error, report }: Stopped): string {
  const how = status === 'completed' ? '' : reason ? `${status} (${reason})` : status
  const what = error?.message ?? headline(report ?? '')
  return [how, what].filter((text) => text !== '').join(': ') || status
}

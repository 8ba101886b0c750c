export { approvalToAnswer } from './approval-to-answer.ts'
export { agentMark, agentTitle } from './agent-mark.ts'
export {
  branchTree,
  breadcrumb,
  latestRun,
  lineage,
  originNumber,
  siblings,
  versionsAt,
  type BranchNode,
  type Versions,
} from './branches.ts'
export { chatCommands, parseChatCommand, type ChatCommand } from './parse-chat-command.ts'
export { createClient, type CallOptions, type Client, type ClientOptions } from './client.ts'
export { ClientError } from './client-error.ts'
export {
  openConversationView,
  type Connection,
  type ConversationView,
  type ViewOptions,
} from './conversation-view.ts'
export type { Followed, FollowOptions } from './follow-events.ts'
export {
  asksBelow,
  badge,
  budgetLeft,
  groupNames,
  inboxOf,
  runGroups,
  type GroupName,
  type RunGroups,
} from './run-status-groups.ts'
export { layout, type Layout, type LayoutOptions, type LayoutRow } from './timeline-layout.ts'
export {
  changedFile,
  changingTools,
  patchLines,
  plainPatch,
  splitPatch,
  type PatchLine,
} from './patch-lines.ts'
export { commandSandboxWords, sandboxLabel } from './sandbox-words.ts'
export { withPage } from './merge-message-page.ts'
export { shownMessages } from './reduce-messages.ts'
export { reduce, withoutToast } from './reduce.ts'
export {
  stateOf,
  type Answered,
  type BranchView,
  type CallView,
  type StreamingMessage,
  type Toast,
  type ViewState,
} from './view-state.ts'
export { reduceTimeline, type Span, type Timeline, type TimelineRun } from './timeline.ts'
export { stateMark, stateWords, statusOf, wasRefused } from './status-labels.ts'
export type { StatusLine, StatusVerb } from '../core/status-line/status-line.ts'
export {
  authorOfMessage,
  authorWords,
  SUMMARY_WORDS,
  callEnd,
  outputForPeople,
  personAnswer,
  reportDetails,
  reportHeadline,
  reportLine,
  reportRemarks,
  reportTitle,
  wakesParent,
} from './who-wrote.ts'
export type { CallEnd } from '../core/report/call-end.ts'
export { agoWords, costWords, durationWords, tokenWords } from './format-figures.ts'

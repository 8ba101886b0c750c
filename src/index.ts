export { createOffshoot } from './library/offshoot.ts'
export type {
  CancelAnswer,
  Offshoot,
  OffshootOptions,
  RecoverySettings,
  TrustAsked,
  TrustDecision,
  TrustRequest,
} from './library/offshoot.ts'
export type { Chat, ChatOptions, SendOptions, SpawnOptions } from './library/chat.ts'
export type { OffshootRun, Result } from './library/run.ts'
export type { ContinueOptions, EventsOptions, ForkOptions } from './library/run-options.ts'
export { tool } from './library/tool.ts'
export type { OwnEffects, OwnTool, OwnToolContext, ToolDefinition } from './library/tool.ts'
export { agent, type OwnAgent } from './library/agent.ts'
export type { AnswerOptions, ApprovalsApi } from './library/approvals.ts'
export type { InboxApi } from './library/inbox.ts'
export type { QuestionsApi } from './library/questions.ts'
export type { BranchesApi, ConversationsApi, RunsApi } from './library/conversations-branches-runs.ts'
export type { ListedRun, ListRunsOptions } from './library/conversations-branches-runs.ts'
export type { Denial, RunResult } from './runtime/views/run-result.ts'
export type { RunListing } from './runtime/views/list-runs.ts'
export type { VerbAnswers } from './runtime/control/verbs.ts'
export type { Approval, ApprovalAnswer, Question, StoredRun as Run } from './core/run.ts'
export type { EndReason, RunReason, RunStatus, WaitReason } from './core/run-status.ts'
export type { Clock } from './core/clock.ts'
export type { JsonSchema } from './core/agent.ts'
export type { ConfigInput } from './config/config-schema.ts'
export type { OwnModel } from './model/custom-models.ts'
export type { Mode } from './permissions/modes.ts'
export type { Branch, Conversation } from './core/conversation.ts'
export type { Message, Part } from './core/message.ts'
export type { Usage } from './core/usage.ts'
export { ToolError, type ModelOutput, type RunRef, type Subject } from './tools/port.ts'
export { createMemoryStore } from './store/memory.ts'
export { openSqliteStore, type SqliteOptions } from './store/sqlite/open.ts'
export type { Reader, Store, Tx } from './store/port.ts'
export { OffshootError, ProviderError, type ErrorCode } from './core/errors.ts'
export { eventSchemas, parseEvent, type EventOf, type EventType, type OffshootEvent } from './core/events.ts'

/** Every cap of a conversation (docs/configuration.md lists the same). null means no cap. */
export interface Limits {
  /** Children that run at the same time in one conversation. */
  readonly maxConcurrent: number
  /** Depth of delegation; 1: a subagent does not spawn. */
  readonly maxDepth: number
  /** Subagents of one conversation. */
  readonly maxSpawns: number
  /** Money of one conversation, US dollars. */
  readonly budgetUsd: number | null
  /** Turns of a main run. */
  readonly maxTurns: number
  /** Turns of a subagent whose definition names none. */
  readonly maxTurnsSubagent: number
  /** Runs that may wait for a slot. */
  readonly maxQueue: number
  /** Children that run at the same time in this process. */
  readonly globalConcurrent: number
  /** Tokens of one conversation. */
  readonly maxTokens: number
  /** Rounds of one to four calls with the same results in a row. */
  readonly maxIdenticalCalls: number
  /** Tokens of a report in its parent's context. */
  readonly maxReportTokens: number
  /** Time without any event, milliseconds. */
  readonly stallMs: number
  /** Time that a question waits, milliseconds. */
  readonly approvalMs: number
  /** Time of a run, milliseconds. */
  readonly timeoutMs: number | null
}

export const defaultLimits: Limits = {
  maxConcurrent: 4,
  maxDepth: 1,
  maxSpawns: 50,
  budgetUsd: 5,
  maxTurns: 50,
  maxTurnsSubagent: 10,
  maxQueue: 200,
  globalConcurrent: 16,
  maxTokens: 2_000_000,
  maxIdenticalCalls: 5,
  maxReportTokens: 4_000,
  stallMs: 300_000,
  approvalMs: 86_400_000,
  timeoutMs: null,
}

/** Bounds that are not configuration: sizes that keep rows, prompts and terminals readable. */
export const bounds = {
  /** Beyond these a figure is no figure: turns, calls and attempts; tokens and US dollars of everything together. */
  count: 1e9,
  tokens: 1e18,
  dollars: 1e12,
  /** A provider that reports more tokens for one request reports none. */
  requestTokens: 1e12,
  /** A session of the page lasts this long, whether it is used or not. Milliseconds. */
  sessionMs: 24 * 60 * 60_000,
  /** A run that was running at so many crashes of its process fails instead of running again. */
  crashesBeforeFailure: 3,
  /** So many files can be given to a run at once. */
  filesGiven: 50,
  /** Larger tool outputs go to an artifact, with head and tail in the part. Bytes. */
  inlineOutputBytes: 32 * 1024,
  /** Input of one tool call that is still executed. Characters of JSON. */
  toolInputChars: 2 * 1024 * 1024,
  /** Text, reasoning and inputs of calls of one answer of a model, together; a longer one fails. Characters. */
  answerChars: 8 * 1024 * 1024,
  /** Pieces of text and of reasoning, and calls, of one answer; one with more fails. */
  answerParts: 2_000,
  /** Partial text of a streaming message is stored at most this often. Milliseconds. */
  partialWriteMs: 250,
  /** The bus hands out ephemeral events at most this often per subscriber. Milliseconds. */
  busBatchMs: 16,
  /** The time of the last change of a conversation is stored as exactly as this. Milliseconds. */
  updatedAtMs: 1_000,
  /** The owner of a conversation renews its lease as often as this, and loses it after so long without. Milliseconds. */
  leaseRenewalMs: 2_000,
  leaseMs: 15_000,
  /** How often a process looks whether another one has written. Milliseconds. */
  watchMs: 50,
  /** How long the owner of a conversation has to answer a command of another process. Milliseconds. */
  commandMs: 30_000,
  /** Reports that come within this time are read together. Milliseconds. */
  gatherMs: 20,
  /** A process group gets SIGTERM, then SIGKILL after this. Milliseconds. */
  killGraceMs: 5_000,
} as const

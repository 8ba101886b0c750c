/** Every cap of a conversation (the same list as in docs/configuration.md). null: no cap. */
export interface Limits {
  /** Parallel subagents of a conversation. */
  readonly maxConcurrent: number
  /** Delegation depth; 1: subagents start none. */
  readonly maxDepth: number
  /** Subagents per conversation. */
  readonly maxSpawns: number
  /** Cost per conversation, US dollars. */
  readonly budgetUsd: number | null
  /** Turns per main run. */
  readonly maxTurns: number
  /** Turns per subagent without a limit of its own. */
  readonly maxTurnsSubagent: number
  /** Runs waiting for a slot. */
  readonly maxQueue: number
  /** Parallel subagents of this process. */
  readonly globalConcurrent: number
  /** Tokens per conversation. */
  readonly maxTokens: number
  /** Consecutive rounds of one to four calls with the same results. */
  readonly maxIdenticalCalls: number
  /** Tokens per report in its parent's context. */
  readonly maxReportTokens: number
  /** Time without events before a run pauses, milliseconds. */
  readonly stallMs: number
  /** Time that a question waits for a person, milliseconds. */
  readonly approvalMs: number
  /** Time per run, milliseconds. */
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

/** Bounds outside the configuration: they keep rows, prompts and terminals readable. */
export const bounds = {
  /** Larger figures are invalid: turns, calls and attempts; total tokens and US dollars. */
  count: 1e9,
  tokens: 1e18,
  dollars: 1e12,
  /** Larger token counts of one request are ignored. */
  requestTokens: 1e12,
  /** Lifetime of a browser session, used or not, milliseconds. */
  sessionMs: 24 * 60 * 60_000,
  /** A run that was running at this many crashes of its process fails instead of running again. */
  crashesBeforeFailure: 3,
  /** Size of a chat's `context` as JSON, characters. */
  contextChars: 64 * 1024,
  /** Files that can be given to a run at once. */
  filesGiven: 50,
  /** Larger tool outputs become an artifact; the part keeps head and tail. Bytes. */
  inlineOutputBytes: 32 * 1024,
  /** Largest input of a tool call that is executed, characters of JSON. */
  toolInputChars: 2 * 1024 * 1024,
  /** Largest total of text, reasoning and call inputs in one answer, characters; a longer answer fails. */
  answerChars: 8 * 1024 * 1024,
  /** Most parts of one answer: texts, reasoning and calls; an answer with more fails. */
  answerParts: 2_000,
  /** Shortest interval between stored partial texts of a streaming message, milliseconds. */
  partialWriteMs: 250,
  /** `ps` counts runs paused for longer instead of listing them. Milliseconds. */
  oldPauseMs: 7 * 24 * 60 * 60_000,
  /** Shortest interval between batches of ephemeral events per subscriber, milliseconds. */
  busBatchMs: 16,
  /** Precision of the stored time of a conversation's last change, milliseconds. */
  updatedAtMs: 1_000,
  /**
   * Interval at which the owner of a conversation renews its lease, and the time after which the lease expires.
   * Milliseconds.
   */
  leaseRenewalMs: 2_000,
  leaseMs: 15_000,
  /** Interval at which a process looks for writes of others, milliseconds. */
  watchMs: 50,
  /** Time that the owner of a conversation has to answer a command of another process, milliseconds. */
  commandMs: 30_000,
  /** Reports that arrive within this time are read together. Milliseconds. */
  gatherMs: 20,
  /**
   * Data on stdin beside a prompt: most bytes; how long to wait for its first data before ignoring it; and how long a
   * started stream may be silent before that is an error. Milliseconds.
   */
  maxStdinBytes: 1024 * 1024,
  stdinFirstByteMs: 3_000,
  stdinSilenceMs: 10 * 60_000,
  /** A process group gets SIGTERM, then SIGKILL after this time, milliseconds. */
  killGraceMs: 5_000,
} as const

/** Length of an answer if the model's limit is unknown. */
export const assumedOutputTokens = 32_000

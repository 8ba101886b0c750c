import { z } from 'zod'

/** Every cap of a conversation, with its unit and default (docs/configuration.md lists the same). null means no cap. */
export const limitsSchema = z.strictObject({
  maxConcurrent: z.int().min(1).default(4).describe('children that run at the same time in one conversation'),
  maxDepth: z.int().min(0).max(5).default(1).describe('depth of delegation; 1: a subagent does not spawn'),
  maxSpawns: z.int().min(0).default(50).describe('subagents of one conversation'),
  budgetUsd: z.number().min(0).nullable().default(5).describe('money of one conversation, US dollars'),
  maxTurns: z.int().min(1).default(50).describe('turns of a main run'),
  maxTurnsSubagent: z.int().min(1).default(10).describe('turns of a subagent whose definition names none'),
  maxQueue: z.int().min(0).default(200).describe('runs that may wait for a slot'),
  globalConcurrent: z.int().min(1).default(16).describe('children that run at the same time in this process'),
  maxTokens: z.int().min(1).default(2_000_000).describe('tokens of one conversation'),
  maxIdenticalCalls: z.int().min(2).default(5).describe('equal calls with equal results in a row'),
  maxReportTokens: z.int().min(1).default(4_000).describe('tokens of a report in its parent’s context'),
  stallMs: z.int().min(1).default(300_000).describe('time without any event, milliseconds'),
  approvalMs: z.int().min(1).default(86_400_000).describe('time that a question waits, milliseconds'),
  timeoutMs: z.int().min(1).nullable().default(null).describe('time of a run, milliseconds'),
})

export type Limits = z.infer<typeof limitsSchema>

export const defaultLimits: Limits = limitsSchema.parse({})

/** Bounds that are not configuration: sizes that keep rows, prompts and terminals readable. */
export const bounds = {
  /** Larger tool outputs go to an artifact, with head and tail in the part (domain.md §5). Bytes. */
  inlineOutputBytes: 32 * 1024,
  /** Input of one tool call that is still executed. Characters of JSON. */
  toolInputChars: 2 * 1024 * 1024,
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

import { z } from 'zod'
import { finishReasons } from '../core/finish-reason.ts'
import { sandboxForce, wideningSchema } from '../core/command-sandbox-schema.ts'
import { factSchema } from '../core/receipt-schema.ts'
import { runLimitsSchema, runSetupSchema } from '../core/run-schemas.ts'
import {
  branchStates,
  EXPORT_VERSIONS,
  type BranchMetadata,
  type ExportDocument,
  type ExportedApproval,
  type ExportedArtifact,
  type ExportedBranch,
  type ExportedCall,
  type ExportedInboxItem,
  type ExportedMain,
  type ExportedMessage,
  type ExportedQuestion,
  type ExportedRule,
  type ExportedRun,
} from './document.ts'
import {
  author,
  boundedCount,
  dollars,
  nonNegative,
  cal,
  endReason,
  error,
  id,
  json,
  ms,
  partSchema,
  prt,
  report,
  runReason,
  status,
  text,
  usage,
  waitedFor,
} from './part-schema.ts'

/**
 * The schema of an export document. Unknown keys are accepted. Nothing is changed or filled in: the result is the
 * file's content, including the order of keys.
 */

const answer = z.enum(['once', 'run', 'always', 'deny'])
const approvalSchema = z
  .looseObject({
    id: id('apr'),
    tool: text,
    title: text,
    detail: text,
    directory: text,
    path: z.array(text),
    rule: text,
    answer: answer.nullable(),
    answeredBy: text.nullable(),
    note: text.nullable(),
    requestedAt: ms,
    answeredAt: ms.nullable(),
    sandbox: z
      .looseObject({ force: sandboxForce, writes: z.array(text), asks: wideningSchema.exactOptional() })
      .exactOptional(),
  })
  .meta({ id: 'Approval' }) satisfies z.ZodType<ExportedApproval>

const questionSchema = z
  .looseObject({
    id: id('que'),
    question: text,
    options: z.array(text),
    path: z.array(text),
    answer: text.nullable(),
    answeredBy: text.nullable(),
    askedAt: ms,
    answeredAt: ms.nullable(),
  })
  .meta({ id: 'Question' }) satisfies z.ZodType<ExportedQuestion>

const callStatus = z.enum([
  'pending',
  'awaiting_approval',
  'running',
  'completed',
  'failed',
  'denied',
  'skipped',
  'unknown',
])
const callSchema = z
  .looseObject({
    id: cal,
    messageId: id('msg'),
    partId: prt,
    resultPartId: prt.nullable(),
    tool: text,
    title: text,
    status: callStatus,
    repeatable: z.boolean(),
    exitCode: z.int().nullable(),
    error: error.nullable(),
    facts: z.array(factSchema).exactOptional(),
    startedAt: ms,
    endedAt: ms.nullable(),
    approvals: z.array(approvalSchema).exactOptional(),
    questions: z.array(questionSchema).exactOptional(),
  })
  .meta({ id: 'Call' }) satisfies z.ZodType<ExportedCall>

const runSchema = z
  .looseObject({
    id: id('run'),
    parentRunId: id('run').nullable(),
    originCallId: cal.nullable(),
    depth: boundedCount,
    agent: text,
    model: text,
    description: text,
    background: z.boolean(),
    status,
    reason: runReason,
    waitingFor: z
      .looseObject({ what: z.enum(waitedFor), detail: text, since: ms, until: ms.exactOptional() })
      .nullable(),
    endReason,
    finishReason: z.enum(finishReasons).nullable().exactOptional(),
    attempt: boundedCount,
    stopNo: boundedCount,
    limits: runLimitsSchema.loose(),
    setup: runSetupSchema.loose().exactOptional(),
    turns: boundedCount,
    toolCalls: boundedCount,
    usage,
    costUsd: dollars.nullable(),
    lastAction: z.looseObject({ tool: text, title: text, at: ms }).nullable(),
    reportMessageId: id('msg').nullable(),
    reportNote: text.nullable(),
    partialFrom: id('msg').exactOptional(),
    unreported: z.boolean().exactOptional(),
    output: json.exactOptional(),
    error: error.nullable(),
    queuedAt: ms,
    startedAt: ms.nullable(),
    endedAt: ms.nullable(),
    calls: z.array(callSchema),
  })
  .meta({ id: 'Run' }) satisfies z.ZodType<ExportedRun>

const inboxSchema = z
  .looseObject({
    id: id('inb'),
    kind: z.enum(['user', 'result', 'note']),
    mode: z.enum(['steer', 'follow_up']),
    text,
    author: author.exactOptional(),
    report: report.exactOptional(),
    fromRunId: id('run').nullable(),
    stopNo: nonNegative.nullable(),
    createdAt: ms,
    deliveredAt: ms.nullable(),
    withdrawnAt: ms.nullable(),
  })
  .meta({ id: 'InboxItem' }) satisfies z.ZodType<ExportedInboxItem>

const ruleSchema = z
  .looseObject({
    tool: text,
    pattern: text.nullable(),
    action: z.enum(['allow', 'ask', 'deny']),
    createdAt: ms,
  })
  .meta({ id: 'Rule' }) satisfies z.ZodType<ExportedRule>

const artifactSchema = z
  .looseObject({
    id: id('art'),
    hash: text.regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in hex'),
    mediaType: text,
    size: nonNegative,
    data: text.meta({ contentEncoding: 'base64' }),
    created: ms,
  })
  .meta({ id: 'Artifact' }) satisfies z.ZodType<ExportedArtifact>

const metadataSchema = z
  .looseObject({
    task: text.exactOptional(),
    subagentId: id('brn').exactOptional(),
    agent: text.exactOptional(),
    label: text.exactOptional(),
    outputSchema: z.record(text, json).exactOptional(),
    state: z.enum(branchStates).exactOptional(),
    iterations: boundedCount.exactOptional(),
    maxIterations: nonNegative.exactOptional(),
    usage: usage.exactOptional(),
    costUsd: dollars.nullable().exactOptional(),
    runs: z.array(runSchema),
    todos: z
      .looseObject({ items: z.array(z.looseObject({ text, status: text })), updatedAt: ms })
      .exactOptional(),
    inbox: z.array(inboxSchema).exactOptional(),
    restrictions: z.array(ruleSchema).exactOptional(),
  })
  .meta({ id: 'BranchMetadata' }) satisfies z.ZodType<BranchMetadata>

const main = {
  id: id('brn'),
  type: text.min(1).meta({ examples: ['human', 'subagent'] }),
  inheritContext: z.boolean(),
  parentBranchId: id('brn').nullable().exactOptional(),
  originToolCallId: cal.exactOptional(),
  created: ms,
  updated: ms,
  metadata: metadataSchema,
}
const mainSchema = z.looseObject(main) satisfies z.ZodType<ExportedMain>

const message = {
  id: id('msg'),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: text,
  parts: z.array(partSchema),
  created: ms,
  usage: usage.exactOptional(),
  state: z.enum(['streaming', 'complete', 'interrupted']).exactOptional(),
  runId: id('run').exactOptional(),
}

/** On the system of origin, including Windows; it may not exist here. */
const ABSOLUTE = /^([/\\]|[A-Za-z]:[/\\])/

const document = {
  version: z.literal(EXPORT_VERSIONS),
  id: id('cnv'),
  title: text,
  directory: text.regex(ABSOLUTE, 'expected an absolute path'),
  created: ms,
  updated: ms,
  seq: nonNegative.exactOptional(),
  main: mainSchema.exactOptional(),
  restrictions: z.array(ruleSchema).exactOptional(),
  artifacts: z.array(artifactSchema).exactOptional(),
}

const anything = z.array(z.unknown())
/** One level of a document at a time, so that deep nesting cannot exhaust the stack. */
export const levelSchemas = {
  document: z.looseObject({ ...document, messages: anything, branches: anything.exactOptional() }),
  branch: z.looseObject({ ...main, messages: anything }),
  message: z.looseObject({ ...message, branches: anything.exactOptional() }),
}

const messageSchema = z
  .looseObject({
    ...message,
    get branches(): z.ZodExactOptional<z.ZodArray<z.ZodType<ExportedBranch>>> {
      return z.array(branchSchema).exactOptional()
    },
  })
  .meta({ id: 'Message' }) satisfies z.ZodType<ExportedMessage>
const branchSchema: z.ZodType<ExportedBranch> = z
  .looseObject({ ...main, messages: z.array(messageSchema) })
  .meta({ id: 'Branch' })

/** The complete schema, published as docs/export.schema.json. */
export const exportSchema = z
  .looseObject({
    ...document,
    messages: z.array(messageSchema),
    branches: z.array(branchSchema).exactOptional(),
  })
  .meta({ title: 'A conversation as Offshoot exports it' }) satisfies z.ZodType<ExportDocument>

import { z } from 'zod'
import { denialReasons } from '../core/denial-reason.ts'
import type { IdPrefix, IdTypes } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { bounds } from '../core/limits.ts'
import { plainAuthors, type Author, type Part } from '../core/message.ts'
import { receiptLists, type Receipts } from '../core/receipt.ts'
import { sandboxForce, wideningSchema } from '../core/command-sandbox-schema.ts'
import type { ReportFacts, SubagentAnswer } from '../core/report-facts.ts'

/** Schemas of message parts in an export document, and of shared values. */

export function id<P extends IdPrefix>(prefix: P): z.ZodType<IdTypes[P]> {
  const pattern = new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`)
  return z.string().regex(pattern, `expected an id ${prefix}_…`) as unknown as z.ZodType<IdTypes[P]>
}

/** The latest time that a date can represent (ECMAScript 21.4.1.1). */
const LAST_MS = 8.64e15
export const ms = z.int().min(0).max(LAST_MS)
export const nonNegative = z.int().min(0)
/** Counts: turns, calls, attempts. */
export const boundedCount = z.int().min(0).max(bounds.count)
export const dollars = z.number().min(0).max(bounds.dollars)
/** Sums of providers' figures can exceed safe integers. */
const tokens = z.number().min(0).max(bounds.tokens).multipleOf(1)
export const text = z.string()
/** Any JSON value, from JSON.parse. */
export const json = z.unknown().refine((value) => value !== undefined, 'expected a value') as z.ZodType<Json>
const metadata = z.record(text, z.record(text, json))

export const usage = z
  .looseObject({
    input: tokens,
    output: tokens,
    cacheRead: tokens,
    cacheWrite: tokens,
    reasoning: tokens,
  })
  .meta({ id: 'Usage' })
export const error = z.looseObject({
  code: text,
  message: text,
  hint: text.exactOptional(),
  reason: z.enum(denialReasons).exactOptional(),
})
const file = z.looseObject({ mediaType: text, data: text, filename: text.exactOptional() })
export const status = z.enum(['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'cancelled'])
export const author = z
  .union([z.enum(plainAuthors), z.looseObject({ agent: text.min(1), branchId: id('brn') })])
  .meta({ id: 'Author' }) satisfies z.ZodType<Author>
/** What a run can wait for. */
export const waitedFor = ['approval', 'question', 'children', 'retry'] as const
const pauses = ['limit', 'budget', 'user', 'parent', 'restart', 'stall'] as const
export const runReason = z.enum([...waitedFor, ...pauses]).nullable()
export const endReason = z
  .enum([
    'done',
    'max_turns',
    'timeout',
    'max_tokens',
    'max_output_tokens',
    'context_window',
    'budget',
    'stall',
    'restart',
    'user',
    'parent',
    'error',
  ])
  .nullable()
const refused = z.array(
  z.looseObject({ tool: text, title: text, code: text.exactOptional(), why: text }),
) as unknown as z.ZodType<Receipts['denied']> // documents of older programs lack a code
const lines = nonNegative.nullable()
const receipts = z.looseObject({
  changed: z.array(
    z.looseObject({
      path: text,
      before: text.nullable(),
      after: text.nullable(),
      added: lines,
      removed: lines,
    }),
  ),
  read: z.array(z.looseObject({ path: text, hash: text.nullable() })),
  commands: z.array(
    z.looseObject({
      command: text,
      exitCode: z.int().nullable(),
      sandbox: sandboxForce.exactOptional(),
      widened: wideningSchema.exactOptional(),
    }),
  ),
  hosts: z.array(text),
  connections: z
    .array(
      z.looseObject({
        host: text,
        port: z.int(),
        allowed: z.boolean(),
        sent: nonNegative,
        received: nonNegative,
      }),
    )
    .exactOptional(),
  denied: refused,
  errors: refused,
  unknown: refused,
  more: z.partialRecord(z.enum(receiptLists), nonNegative) as z.ZodType<Receipts['more']>,
}) satisfies z.ZodType<Receipts>
const name = { branchId: id('brn'), agent: text }
const told = z.looseObject({ before: text, after: text })
const reportFacts = {
  ...name,
  fromRunId: id('run'),
  description: text,
  status,
  reason: runReason,
  endReason,
  figures: z
    .looseObject({
      turns: boundedCount,
      maxTurns: nonNegative,
      toolCalls: boundedCount,
      durationMs: ms,
      costUsd: dollars.nullable(),
    })
    .nullable(),
  note: text.nullable(),
  error: text.nullable(),
  form: z.enum(['text', 'json', 'summary']),
  lacks: z.enum(['middle', 'rest']).nullable(),
  artifactId: id('art').exactOptional(),
  receipts: receipts.nullable(),
  told: told.exactOptional(),
}
export const report = z.looseObject(reportFacts).meta({ id: 'Report' }) satisfies z.ZodType<ReportFacts>
const about = { lead: text.exactOptional(), rest: text.exactOptional() }
const subagent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('report'), ...reportFacts, ...about }),
  z.looseObject({
    type: z.literal('transcript'),
    ...name,
    status,
    reason: reportFacts.reason,
    rest: about.rest,
  }),
  z.looseObject({
    type: z.literal('started'),
    ...name,
    description: text,
    position: nonNegative.nullable(),
    waits: text.exactOptional(),
    told: told.exactOptional(),
  }),
]) satisfies z.ZodType<SubagentAnswer>
const output = z.looseObject({
  text,
  subagent: subagent.exactOptional(),
  notes: z.looseObject({ path: text, text }).exactOptional(),
  files: z.array(file).exactOptional(),
  artifactId: id('art').exactOptional(),
})

export const prt = id('prt')
export const cal = id('cal')
export const partSchema = z
  .discriminatedUnion('type', [
    z.looseObject({
      id: prt,
      type: z.literal('text'),
      text,
      author: author.exactOptional(),
      summaryOf: id('msg').exactOptional(),
      metadata: metadata.exactOptional(),
    }),
    z.looseObject({ id: prt, type: z.literal('reasoning'), text, metadata: metadata.exactOptional() }),
    z.looseObject({
      id: prt,
      type: z.literal('tool-call'),
      callId: cal,
      tool: text,
      input: json,
      invalid: text.exactOptional(),
      via: z.looseObject({ index: nonNegative, toolset: text.exactOptional() }).exactOptional(),
      metadata: metadata.exactOptional(),
    }),
    z.looseObject({
      id: prt,
      type: z.literal('tool-result'),
      callId: cal,
      tool: text,
      status: z.enum(['completed', 'failed', 'denied', 'skipped', 'unknown']),
      output,
    }),
    z.looseObject({ id: prt, type: z.literal('file'), file }),
    z.looseObject({ id: prt, type: z.literal('report'), text, report }),
    z.looseObject({
      id: prt,
      type: z.literal('notice'),
      text,
      branchId: id('brn').exactOptional(),
      damaged: prt.exactOptional(),
    }),
  ])
  .meta({ id: 'Part' }) satisfies z.ZodType<Part>

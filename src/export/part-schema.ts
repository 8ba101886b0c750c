import { z } from 'zod'
import { denialReasons } from '../core/denial-reason.ts'
import type { IdPrefix, IdTypes } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { plainAuthors, type Author, type Part } from '../core/message.ts'
import type { Receipts } from '../core/receipt.ts'
import type { ReportFacts, SubagentAnswer } from '../core/report-facts.ts'
import type { EndReason, RunReason } from '../core/run-status.ts'

/** The parts of a message in an export document, and the values that they and the rest of it are made of. */

export function id<P extends IdPrefix>(prefix: P): z.ZodType<IdTypes[P]> {
  const pattern = new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`)
  return z.string().regex(pattern, `expected an id ${prefix}_…`) as unknown as z.ZodType<IdTypes[P]>
}

export const ms = z.int().min(0)
export const nonNegative = z.int().min(0)
export const text = z.string()
/** Any value of JSON; it came out of JSON.parse. */
export const json = z.unknown().refine((value) => value !== undefined, 'expected a value') as z.ZodType<Json>
const metadata = z.record(text, z.record(text, json))

export const usage = z
  .looseObject({
    input: z.number(),
    output: z.number(),
    cacheRead: z.number(),
    cacheWrite: z.number(),
    reasoning: z.number(),
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
  .union([z.enum(plainAuthors), z.looseObject({ agent: text, branchId: id('brn') })])
  .meta({ id: 'Author' }) satisfies z.ZodType<Author>
const receiptOf = <T>() => z.array(z.looseObject({})) as unknown as z.ZodType<readonly T[]>
const receipts = z.looseObject({
  changed: receiptOf<Receipts['changed'][number]>(),
  read: receiptOf<Receipts['read'][number]>(),
  commands: receiptOf<Receipts['commands'][number]>(),
  hosts: z.array(text),
  denied: receiptOf<Receipts['denied'][number]>(),
  errors: receiptOf<Receipts['errors'][number]>(),
  unknown: receiptOf<Receipts['unknown'][number]>(),
  more: z.record(text, nonNegative) as unknown as z.ZodType<Receipts['more']>,
}) satisfies z.ZodType<Receipts>
const name = { branchId: id('brn'), agent: text }
const told = z.looseObject({ before: text, after: text })
const reportFacts = {
  ...name,
  fromRunId: id('run'),
  description: text,
  status,
  reason: text.nullable() as unknown as z.ZodType<RunReason | null>,
  endReason: text.nullable() as unknown as z.ZodType<EndReason | null>,
  figures: z
    .looseObject({
      turns: nonNegative,
      maxTurns: nonNegative,
      toolCalls: nonNegative,
      durationMs: z.number(),
      costUsd: z.number().nullable(),
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
    told: told.exactOptional(),
  }),
]) satisfies z.ZodType<SubagentAnswer>
const output = z.looseObject({
  text,
  subagent: subagent.exactOptional(),
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

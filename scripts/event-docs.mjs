// Writes docs/events.schema.json and docs/events.md from the schemas of src/core/events.ts. Run it after a change there;
// test/event-docs.test.ts fails as long as the two files are out of step.
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { eventSchemas, isEphemeral } from '../src/core/events.ts'

/** @typedef {import('../src/core/events.ts').EventType} EventType */
/** @typedef {import('zod').z.core.JSONSchema.BaseSchema} Schema */
/** @typedef {Readonly<Record<string, Schema>>} Fields */
/** @typedef {{ name: string, fields: Fields, required: readonly string[] }} Group fields that several events share */

const ID_KINDS = ['cnv', 'brn', 'msg', 'prt', 'run', 'cal', 'apr', 'que', 'inb', 'art']
const TYPES = /** @type {EventType[]} */ (Object.keys(eventSchemas))

/** What each event means. @type {Record<EventType, string>} */
const MEANINGS = {
  'conversation.created': 'A conversation was created.',
  'conversation.updated': 'The title of the conversation changed.',
  'conversation.deleted': 'The conversation was deleted, with everything in it.',
  'branch.created': "A branch was created: the main one, a fork, or a subagent's.",
  'message.appended': 'A message was added to a branch; an assistant message may still grow.',
  'message.completed':
    'A message is complete, or was interrupted for good. For an answer, `finishReason` says how it ended.',
  'part.started': 'A part of a message started.',
  'part.delta': 'Text was added to a part.',
  'part.completed':
    'A part is complete, and `part` contains all of it. Every part has `id` and `type`. A `text`, `reasoning` or `notice` has `text` (a `text` in a user message also `author`: `person`, `runtime`, or an agent with its branch); a delivered `report` has `text`, and in `report` what the runtime knows about it; a `tool-call` has `callId`, `tool`, `input`; a `tool-result` has `callId`, `tool`, `status`, `output`; a `file` has `file`.',
  'run.queued':
    'A run waits for a free slot, or first for budget (`waitingFor`). `position` is its place in its conversation, `line` says what it waits for. If the run was already waiting (`from` is `queued`), the thing that it waits for has changed.',
  'run.started': 'A run started to work.',
  'run.resumed': 'A run continues after a wait.',
  'run.progress': 'A run started a tool call.',
  'run.waiting': 'A run waits; `waitingFor` says what for.',
  'run.paused':
    'A run stopped and can be resumed; `reason` and `endReason` say why. `unreadReports` is the number of reports that were delivered to it and that no request has read.',
  'run.completed': 'A run ended; `report` is its result.',
  'run.failed': 'A run ended with `error`.',
  'run.cancelled': 'A run was cancelled.',
  'run.backgrounded': 'A run moved to the background; its parent no longer waits for it.',
  'turn.completed': 'A model response and its tool calls are done; the figures are those of the turn.',
  'usage.updated': 'The figures changed outside a turn.',
  'tool.started': 'A tool call started.',
  'tool.output': 'A running tool produced output.',
  'tool.completed': 'A tool call succeeded.',
  'tool.failed': 'A tool call failed; the model reads why.',
  'tool.denied':
    'A tool call was denied. `error.code` is `denied`, or `unattended` if nobody could answer; `error.reason` says who or what denied it.',
  'tool.skipped': 'A tool call never started.',
  'tool.unknown': 'A tool call was interrupted; its effect is unknown.',
  'approval.requested': 'A tool call waits for an approval.',
  'approval.answered': 'An approval was answered. `grant` is what it allows from now on, `scope` says where.',
  'question.asked': 'An agent asks a person a question in words; `offshoot answer` answers it.',
  'question.answered': 'A question was answered; or it was closed, and `text` is null.',
  'context.compacted': 'The runtime summarised earlier messages for the model.',
  'inbox.added':
    'The inbox of a branch received an item. In all inbox events, `count` is the number of items that now wait there.',
  'inbox.updated': 'A waiting item changed.',
  'inbox.delivered': 'A waiting item became a message.',
  'inbox.withdrawn': 'A waiting item was withdrawn.',
  'inbox.empty': 'The inbox is empty: its last item was delivered or withdrawn.',
  'report.delivered': "A subagent's report reached its target branch.",
}

/** @type {Readonly<Record<string, string>>} */
const BASE_MEANINGS = {
  seq: 'position among the stored events of the conversation',
  sub: 'live events only: position after the last stored event',
  at: 'time of the event',
  conversationId: 'the conversation',
  branchId: 'the branch; null if the event concerns the whole conversation',
  runId: 'the run; null if there is none',
  parentRunId: 'the parent of the run; null for a main run',
  depth: '0 for a main run, 1 for its subagents, and so on',
}

/** JSON Schema (2020-12) of any event. */
export function eventsSchema() {
  const groups = sharedFields()
  const shared = groups.map(({ name, fields, required }) => [name, objectSchema(fields, required)])
  const events = TYPES.map((type) => [type, eventSchema(type, groups)])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'An event of an Offshoot conversation',
    oneOf: TYPES.map((type) => ({ $ref: `#/$defs/${type}` })),
    $defs: Object.fromEntries([...shared, ...events]),
  }
}

/** The page for people: every event with its fields. */
export function eventsPage() {
  const groups = sharedFields()
  const [base, ...others] = groups
  return `# Events

Events record what happened in a conversation, as one flat stream for the whole tree. \`offshoot run --output-format events\` writes one event per line. The JSON Schema is [events.schema.json](events.schema.json). \`node scripts/event-docs.mjs\` generates both files from \`src/core/events.ts\`.

Ignore events and fields that you do not know. Times are milliseconds since the epoch. Costs are US dollars, and null while a price is unknown. Ids are a prefix and 26 characters. \`?\` marks an optional field.

## Order

Each stored event has its own \`seq\`; a conversation numbers them without gaps. Live events (*live* below) are never stored or repeated. They carry the last stored \`seq\` and a \`sub\` that counts up from there. A reader that misses a live event loses nothing: a later event contains the same information.

## Secrets

All events mask [secrets](output.md#secrets) character by character, so \`offset\` is the same in the masked and the real text.

## Fields of every event

${base ? fieldTable(base) : ''}

${others.map(({ name, fields, required }) => `## Fields of a ${name}\n\n${fieldList(fields, required)}.`).join('\n\n')}

## All events

| event | meaning | additional fields |
|---|---|---|
${TYPES.map((type) => eventRow(type, groups)).join('\n')}
`
}

/**
 * What every event has, then what every event of a run and of a call has besides.
 * @returns {readonly Group[]}
 */
function sharedFields() {
  const all = schemaOf('conversation.deleted')
  const base = { name: 'event', fields: without(all.fields, ['type']), required: all.required }
  return [base, groupOf('run', 'run.started', base), groupOf('call', 'tool.started', base)]
}

/**
 * @param {string} name
 * @param {EventType} type an event that has no others
 * @param {Group} base
 * @returns {Group}
 */
function groupOf(name, type, base) {
  const { fields, required } = schemaOf(type)
  return { name, fields: without(fields, ['type', ...Object.keys(base.fields)]), required }
}

/**
 * The groups whose every field an event has, and the fields that it has besides.
 * @param {EventType} type
 * @param {readonly Group[]} groups
 */
function splitFields(type, groups) {
  const { fields, required } = schemaOf(type)
  const has = groups.filter((group) => Object.keys(group.fields).every((name) => name in fields))
  const shared = has.flatMap((group) => Object.keys(group.fields))
  return { groups: has, own: without(fields, shared), required }
}

/**
 * @param {EventType} type
 * @param {readonly Group[]} all
 */
function eventSchema(type, all) {
  const { groups, own, required } = splitFields(type, all)
  const allOf = groups.map(({ name }) => ({ $ref: `#/$defs/${name}` }))
  return { allOf, ...objectSchema(own, required) }
}

/**
 * @param {Fields} properties
 * @param {readonly string[]} required
 */
function objectSchema(properties, required) {
  return { type: 'object', properties, required: required.filter((name) => name in properties) }
}

/**
 * @param {EventType} type
 * @returns {{ fields: Fields, required: readonly string[] }}
 */
function schemaOf(type) {
  const { properties, required } = z.toJSONSchema(eventSchemas[type], {
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema._zod.def.type === 'custom') Object.assign(jsonSchema, idSchema(zodSchema))
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return { fields: /** @type {Fields} */ (properties), required: required ?? [] }
}

/**
 * The kind of an id is known to its check alone, so it is asked.
 * @param {import('zod').z.core.$ZodType} schema
 */
function idSchema(schema) {
  const kind = ID_KINDS.find((prefix) => z.safeParse(schema, `${prefix}_${'0'.repeat(26)}`).success)
  if (!kind) throw new Error('a custom schema of an event is no id: say here what it is in JSON Schema')
  return { type: 'string', pattern: `^${kind}_[0-9A-HJKMNP-TV-Z]{26}$` }
}

/**
 * @param {Fields} fields
 * @param {readonly string[]} names
 * @returns {Fields}
 */
function without(fields, names) {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

/**
 * @param {EventType} type
 * @param {readonly Group[]} all
 */
function eventRow(type, all) {
  const { groups, own, required } = splitFields(type, all)
  const shared = groups.slice(1).map(({ name }) => `the fields of a ${name}`)
  const fields = [...shared, fieldList(without(own, ['type']), required)].filter((text) => text !== '')
  const live = isEphemeral(type) ? ' (*live*)' : ''
  return `| \`${type}\`${live} | ${MEANINGS[type]} | ${fields.join(', ') || 'none'} |`
}

/**
 * @param {Fields} fields
 * @param {readonly string[]} required
 */
function fieldList(fields, required) {
  return Object.entries(fields)
    .map(([name, schema]) => `${fieldName(name, required)} ${typeText(schema)}`)
    .join(', ')
}

/** @param {Group} group */
function fieldTable({ fields, required }) {
  const rows = Object.entries(fields).map(
    ([name, schema]) => `| ${fieldName(name, required)} | ${typeText(schema)} | ${BASE_MEANINGS[name]} |`,
  )
  return ['| field | type | meaning |', '|---|---|---|', ...rows].join('\n')
}

/**
 * @param {string} name
 * @param {readonly string[]} required
 */
function fieldName(name, required) {
  return `\`${name}${required.includes(name) ? '' : '?'}\``
}

/**
 * A schema in a few words.
 * @param {Schema} schema
 * @returns {string}
 */
function typeText(schema) {
  if (schema.anyOf) return schema.anyOf.map((each) => typeText(each)).join(' or ')
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(' \\| ')
  if (schema.pattern) return `id \`${schema.pattern.slice(1, 4)}_…\``
  if (schema.type === 'array') return `list of ${typeText(/** @type {Schema} */ (schema.items))}`
  if (schema.properties)
    return `{${fieldList(/** @type {Fields} */ (schema.properties), schema.required ?? [])}}`
  return [schema.type ?? 'any'].flat().join(' or ')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const docs = new URL('../docs/', import.meta.url)
  fs.writeFileSync(new URL('events.schema.json', docs), `${JSON.stringify(eventsSchema(), null, 2)}\n`)
  fs.writeFileSync(new URL('events.md', docs), eventsPage())
}

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

/** What each event tells. @type {Record<EventType, string>} */
const MEANINGS = {
  'conversation.created': 'A conversation began.',
  'conversation.updated': 'Its title changed.',
  'conversation.deleted': 'It was deleted, with everything in it.',
  'branch.created': 'A branch was made: the main one, a fork, or that of a subagent.',
  'message.appended': 'A message stands on a branch; an assistant message may still grow.',
  'message.completed': 'A message is whole, or was cut for good. `finishReason` of an answer: how it ended.',
  'part.started': 'A part of a message began.',
  'part.delta': 'Text was added to a part.',
  'part.completed':
    'A part is whole; `part` is all of it: besides `id` and `type`, `text` of a `text` (with its `author` in a user message: `person`, `runtime`, or an agent with its branch), `reasoning` or `notice`; `text` and `report`, what the runtime knows of it, of a delivered `report`; `callId`, `tool`, `input` of a `tool-call`; `callId`, `tool`, `status`, `output` of a `tool-result`; `file` of a `file`.',
  'run.queued':
    'A run waits for a free slot; `position` is its place in its conversation, `line` what that waits for; of a run that waits already (`from` `queued`): what it waits for has changed.',
  'run.started': 'A run began to work.',
  'run.resumed': 'A wait of a run is over.',
  'run.progress': 'A run began a tool call.',
  'run.waiting': 'A run waits; `waitingFor` says for what.',
  'run.paused': 'A run stopped and can be continued; `reason` and `endReason` say why.',
  'run.completed': 'A run ended; `report` is what it came to.',
  'run.failed': 'A run ended with `error`.',
  'run.cancelled': 'A run was cancelled.',
  'run.backgrounded': 'A run went on in the background; its parent no longer waits for it.',
  'turn.completed': 'One answer of the model and the calls that it asked for are done; figures of that turn.',
  'usage.updated': 'Figures changed outside a turn.',
  'tool.started': 'A tool call began.',
  'tool.output': 'A running tool wrote something.',
  'tool.completed': 'A tool call succeeded.',
  'tool.failed': 'A tool call failed; the model was told why.',
  'tool.denied':
    'A tool call was not allowed. `error.code` is `denied`, or `unattended` where nobody could be asked; `error.reason` says who or what denied it.',
  'tool.skipped': 'A tool call was never begun.',
  'tool.unknown': 'A tool call was interrupted; its effect is not known.',
  'approval.requested': 'A person is asked whether a call may be made.',
  'approval.answered': 'That question was answered. `grant` is what is allowed from now on, `scope` where.',
  'question.asked': 'An agent asks the person something, in words; `offshoot answer` answers it.',
  'question.answered': 'That question was answered, or closed: then `text` is null.',
  'context.compacted': 'Earlier messages were summarised for the model.',
  'inbox.added':
    'Input waits for a branch. `count` of the inbox events: how many items wait there from now on.',
  'inbox.updated': 'Waiting input changed.',
  'inbox.delivered': 'Waiting input became a message.',
  'inbox.withdrawn': 'Waiting input was taken back.',
  'inbox.empty': 'Nothing waits for the branch any more: the last item was delivered or withdrawn.',
  'report.delivered': "A subagent's report reached the branch that it was made for.",
}

/** @type {Readonly<Record<string, string>>} */
const BASE_MEANINGS = {
  seq: 'its place among the stored events of the conversation',
  sub: 'of live events alone: its place after the last stored one',
  at: 'when',
  conversationId: 'where',
  branchId: 'the branch; null where the event is about the conversation',
  runId: 'the run; null where there is none',
  parentRunId: 'the run that the run works for; null for a main run',
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

What happened in a conversation, in the past tense: one flat stream for the whole tree. \`offshoot run --output-format events\` writes one event a line. The JSON Schema is [events.schema.json](events.schema.json); both files are generated from \`src/core/events.ts\` by \`node scripts/event-docs.mjs\`.

A reader passes over events and fields that it does not know. Times are milliseconds since the epoch, money is US dollars and null while a price is not known, ids are a prefix and 26 characters. \`?\` marks a field that may be missing.

## Order

Stored events carry their own \`seq\`, which counts one by one in a conversation. Live events (*live* below) are never stored and never repeated: they carry the last \`seq\` and a \`sub\` that counts on from it, and whoever misses them loses nothing that a later event does not say.

## Secrets

In all events [secrets](output.md#secrets) are masked, each character by one of its own, so that \`offset\` counts in the masked text as in the real one.

## Fields of every event

${base ? fieldTable(base) : ''}

${others.map(({ name, fields, required }) => `## Fields of a ${name}\n\n${fieldList(fields, required)}.`).join('\n\n')}

## All events

| event | says | fields besides those of every event |
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
  const shared = groups.slice(1).map(({ name }) => `those of a ${name}`)
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
  return ['| field | type | says |', '|---|---|---|', ...rows].join('\n')
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

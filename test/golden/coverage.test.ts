import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventSchemas } from '../../src/index.ts'
import { endReason, openApiDocument, runReason, runStatus } from './inside.ts'

/** No code tells of these: clients know them, for servers that will. */
const NEVER_TOLD = ['conversation.deleted', 'usage.updated']

const DIRECTORY = join(import.meta.dirname, 'conversations')
const all = readdirSync(DIRECTORY, { recursive: true, withFileTypes: true })
  .filter((each) => each.isFile())
  .map(({ name, parentPath }) => ({ name, text: readFileSync(join(parentPath, name), 'utf8') }))
const ofKind = (kind: RegExp) => all.flatMap(({ name, text }) => (kind.test(name) ? [text] : [])).join('\n')

test('there are ten conversations', () => {
  expect(readdirSync(DIRECTORY)).toHaveLength(10)
})

test('every type of event occurs', () => {
  const told = new Set(ofKind(/\.(sse|jsonl)$/).match(/(?<="type":")[a-z]+\.[a-z]+(?=")/g))
  const untold = Object.keys(eventSchemas).filter((type) => !told.has(type))
  expect(untold).toEqual(NEVER_TOLD)
})

test('every status of a run, and every reason for one, is told and answered', () => {
  for (const text of [ofKind(/\.sse$/), ofKind(/\.http$/).replaceAll(/": "/g, '":"')]) {
    expect(missing(text, 'status', runStatus)).toEqual([])
    expect(missing(text, 'reason', runReason.unwrap())).toEqual([])
    expect(missing(text, 'endReason', endReason.unwrap())).toEqual([])
  }
})

test('every route that reads something of a conversation is asked', () => {
  const asked = ofKind(/\.(http|sse)$/).match(/^GET \S+$/gm) ?? []
  const unasked = conversationRoutes().filter(({ pattern }) => !asked.some((line) => pattern.test(line)))
  expect(unasked).toEqual([])
})

function missing(
  text: string,
  field: string,
  { options }: { readonly options: readonly string[] },
): string[] {
  return options.filter((value) => !text.includes(`"${field}":"${value}"`))
}

interface Operation {
  readonly parameters: readonly { readonly name: string }[]
}

/** Those with an id in the path, and those that take the id of a conversation. */
function conversationRoutes() {
  const { paths } = openApiDocument('') as { paths: Record<string, { readonly get?: Operation }> }
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const takesConversation = get?.parameters.some(({ name }) => name === 'conversation')
    if (!get || !(path.includes('{id}') || takesConversation)) return []
    const end = takesConversation ? String.raw`\?(.*&)?conversation=cnv_\w+` : String.raw`(\?.*)?`
    return [{ path, pattern: new RegExp(`^GET ${path.replace('{id}', String.raw`[a-z]{3}_\w+`)}${end}$`) }]
  })
}

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { checkLine, readRuleSet } from '../../../src/cli/permission-check.ts'
import { OffshootError } from '../../../src/core/errors.ts'
import type { Json } from '../../../src/core/json.ts'
import { parseScript } from '../../../src/model/model-script.ts'
import { MAX_EXPORT_BYTES, parseExport } from '../../../src/export/parse-export.ts'
import { importConversation } from '../../../src/export/import-conversation.ts'
import { lastJson } from '../../../src/runtime/delegation/typed/last-json.ts'
import { createIds } from '../../../src/core/ids.ts'
import { createMemoryStore } from '../../../src/store/memory.ts'
import { ToolError } from '../../../src/tools/port.ts'
import { createWorkspace } from '../../../src/tools/workspace.ts'
import { textsOf } from '../corpus.ts'
import { mutatedJson, mutatedText } from '../mutate.ts'
import { readOrRefused, written } from '../properties.ts'
import { hold, type Target } from '../target.ts'

const READERS = ['call', 'script', 'answer', 'export'] as const

type Input = { readonly reader: (typeof READERS)[number]; readonly text: string }

const DICTIONARY =
  `tool input subject rules chain default tools ask interactive id command arg call kind value path host name version
  main branches messages parts type text tool-call tool-result callId status completed parent seq agents match error
  branchId runs metadata role created updated 1e999 -1 null true [] {} "" , : \`\`\` \`\`\`json`.split(/\s+/)

const EXPORT = JSON.parse(
  readFileSync(new URL('../../../src/export/fixtures/small.json', import.meta.url), 'utf8'),
) as Json
const CORPUS = READERS.map((reader) => ({
  reader,
  corpus:
    reader === 'export'
      ? [JSON.stringify(EXPORT)]
      : textsOf('jsonl')
          .filter(({ label }) => label === reader)
          .map(({ text }) => text.trimEnd()),
}))

/** Lines and documents of JSON: a call of `permissions check`, a script, a typed answer, an export. */
export const jsonl: Target<Input> = {
  name: 'jsonl',
  limitMs: 250,
  fixed: ['reader'],
  generate(random) {
    const { reader, corpus } = random.pick(CORPUS)
    const asValue = reader !== 'answer' && random.chance(0.6)
    const text = asValue
      ? JSON.stringify(mutatedJson(random, JSON.parse(random.pick(corpus)) as Json, DICTIONARY))
      : mutatedText(random, { corpus, dictionary: DICTIONARY })
    return { reader, text }
  },
  run: ({ reader, text }) => RUN[reader](text),
}

const PLACE = { workspace: createWorkspace(import.meta.dirname), known: { names: [] } }
const LEVELS = readRuleSet('[{"tool": "bash", "pattern": "git *", "action": "allow"}]', 'rules', PLACE.known)
const FIELDS = ['decision', 'layer', 'rule', 'tool', 'why']

const RUN: Readonly<Record<Input['reader'], (text: string) => void | Promise<void>>> = {
  call(text) {
    const read = readOrRefused(() => checkLine(text, LEVELS, PLACE), isOneOf('usage', 'config'))
    if ('error' in read) return
    const { id: _, ...checked } = read.value
    hold(isDeepStrictEqual(Object.keys(checked).toSorted(), FIELDS), 'has other fields', () =>
      JSON.stringify(checked),
    )
    const { id: __, ...again } = checkLine(JSON.stringify(JSON.parse(text)), LEVELS, PLACE)
    hold(isDeepStrictEqual(again, checked), 'is another when it is read again', () => JSON.stringify(again))
  },
  script(text) {
    const value = jsonOf(text)
    if (value !== undefined) readOrRefused(() => parseScript(value, 'script.json'), isOneOf('config'))
  },
  answer(text) {
    const found = lastJson(text)
    if (!found) return
    const again = lastJson(JSON.stringify(found.value))
    hold(written(again) === written(found), 'is another when it is read again', () => written(again))
  },
  async export(text) {
    hold(text.length < MAX_EXPORT_BYTES, 'the input is too large', () => '')
    const read = readOrRefused(() => parseExport(text), isOneOf('usage'))
    if ('error' in read) return
    const again = parseExport(JSON.stringify(read.value))
    hold(isDeepStrictEqual(again, read.value), 'is another when it is read again', () => '')
    const newId = createIds(Date.now, randomBytes)
    await importConversation(createMemoryStore(), read.value, newId).catch((error: unknown) => {
      if (!isOneOf('usage')(error)) throw error
    })
  },
}

function isOneOf(...codes: readonly string[]): (error: unknown) => error is Error {
  return (error): error is Error =>
    (error instanceof OffshootError && codes.includes(error.code)) ||
    (error instanceof ToolError && error.code === 'invalid_input')
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { cite, citationsIn, formatCitation } from './citation.ts'
import { createOfflineModel } from './offline-model.ts'

const MAX_TURNS = 8

const words = fc.constantFrom(
  'voucher',
  'redeem',
  'tests',
  'where',
  'and',
  'it',
  '`x.y`',
  'src/a.ts:3',
  'fix',
  '.',
  '?',
  '*',
  '(',
  '[a',
  '\\',
  'été',
  '权限',
)
const questions = fc.oneof(
  fc.constant('Where are vouchers redeemed, and which tests cover it?'),
  fc.string({ unit: anyCharacter }),
  fc.array(words, { maxLength: 30 }).map((list) => list.join(' ')),
)
const agents = fc.constantFrom('main', 'explore', 'general', 'planner', 'reviewer', 'researcher', 'stranger')
const toolSets = fc.subarray(['task', 'grep', 'glob', 'read', 'list', 'bash'])

const lineTexts = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }).map((text) => text.replace(/[\r\n]/g, ' ')),
  fc.constantFrom(
    'export function redeemVoucher() {',
    '// voucher',
    '`voucher` and `redeem`',
    '  12: voucher redeem',
    "it('redeems vouchers', () => {",
  ),
)
const outputs = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc
    .array(
      fc.tuple(
        fc.constantFrom('src/a.ts', 'b/voucher.test.js', 'weird: path.md', 'x'),
        fc.nat(2_000),
        lineTexts,
      ),
      { maxLength: 12 },
    )
    .map((rows) => rows.map(([path, line, text]) => `${path}:${line}:${text}`).join('\n')),
  fc
    .array(lineTexts, { maxLength: 12 })
    .map((rows) => rows.map((text, i) => `${String(i + 1).padStart(6)}\t${text}`).join('\n')),
  fc.constantFrom('(no match)', 'src/a.ts:7', '[… 99 bytes left out; the full text is artifact art_1 …]'),
)
const results = fc.oneof(
  { weight: 6, arbitrary: outputs.map((value) => ({ type: 'text' as const, value })) },
  { weight: 1, arbitrary: fc.string().map((value) => ({ type: 'error-text' as const, value })) },
  { weight: 1, arbitrary: fc.string().map((reason) => ({ type: 'execution-denied' as const, reason })) },
  { weight: 1, arbitrary: fc.jsonValue().map((value) => ({ type: 'json' as const, value: value as never })) },
)

/** A file, to be shown as the tool that is called would show it. */
const plausible = fc.array(lineTexts, { minLength: 1, maxLength: 12 }).map((file) => ({ file }))

describe('whatever it is asked and whatever the tools answer', () => {
  test('it never throws, ends within its turns, and cites no line that it has not seen', async () => {
    await fc.assert(
      fc.asyncProperty(
        questions,
        agents,
        toolSets,
        fc.infiniteStream(fc.oneof(results, plausible, plausible)),
        async (question, agent, tools, stream) => {
          const seen: string[] = []
          const text = await play(question, agent, tools, (call) => {
            const next = stream.next().value
            const output = 'file' in next ? { type: 'text' as const, value: render(call, next.file) } : next
            seen.push(...rowsOf(call, output))
            return output
          })
          for (const { path, line, excerpt } of citationsIn(text)) {
            expect(seen.some((row) => row.startsWith(`${path}:${line}:`) && row.includes(excerpt))).toBe(true)
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  test('any conversation can be read', async () => {
    const part = fc.oneof(
      questions.map((text) => ({ type: 'text' as const, text })),
      fc.record({
        type: fc.constant('file' as const),
        mediaType: fc.constant('image/png'),
        data: fc.constant({ type: 'data' as const, data: '' }),
      }),
    )
    const call = fc.record({
      type: fc.constant('tool-call' as const),
      toolCallId: fc.constantFrom('a', 'b', 'c'),
      toolName: fc.constantFrom('task', 'grep', 'read', 'glob', 'x'),
      input: fc.jsonValue(),
    })
    const result = fc.record({
      type: fc.constant('tool-result' as const),
      toolCallId: fc.constantFrom('a', 'b', 'c'),
      toolName: fc.constantFrom('task', 'grep', 'read'),
      output: results,
    })
    const message = fc.oneof(
      fc.string().map((content) => ({ role: 'system' as const, content })),
      fc.array(part, { maxLength: 3 }).map((content) => ({ role: 'user' as const, content })),
      fc
        .array(fc.oneof(part, call), { maxLength: 3 })
        .map((content) => ({ role: 'assistant' as const, content })),
      fc.array(result, { maxLength: 3 }).map((content) => ({ role: 'tool' as const, content })),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 8 }),
        agents,
        toolSets,
        async (prompt, agent, tools) => {
          const { content } = await answer(prompt, agent, tools)
          expect(content.length).toBeGreaterThan(0)
          for (const each of content) if (each.type === 'tool-call') expect(tools).toContain(each.toolName)
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('a citation', () => {
  test('is a literal piece of its line, and can be read back', () => {
    fc.assert(
      fc.property(lineTexts, fc.integer({ min: 1, max: 1e6 }), (text, line) => {
        const citation = cite({ path: 'src/a.ts', line, text })
        if (citation === null) return
        expect(text).toContain(citation.excerpt)
        expect(citation.excerpt.length).toBeGreaterThanOrEqual(8)
        expect(citationsIn(formatCitation(citation, 'a note'))).toEqual([citation])
      }),
    )
  })

  test('long lines are quoted from their beginning', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 200, maxLength: 400 }), (text) => {
        const citation = cite({ path: 'a', line: 1, text })
        if (citation) expect(text.indexOf(citation.excerpt)).toBeLessThan(240)
      }),
    )
  })
})

interface Call {
  readonly toolName: string
  readonly input: unknown
}

function render({ toolName, input }: Call, file: readonly string[]): string {
  const { offset, output_mode: mode } = input as { offset?: number; output_mode?: string }
  if (toolName === 'glob' || toolName === 'list') return 'src/voucher.ts\nsrc/a.ts'
  if (toolName === 'task') return file.map((text, i) => `- src/voucher.ts:${i + 1} \`${text}\``).join('\n')
  if (mode === 'count') return `src/voucher.ts:${file.length}`
  if (toolName === 'grep') return file.map((text, i) => `src/voucher.ts:${i + 1}:${text}`).join('\n')
  return file.map((text, i) => `${String((offset ?? 1) + i).padStart(6)}\t${text}`).join('\n')
}

/** Everything that an output shows, as `path:line:text`: rows of a search, of a report, and of a file that was read. */
function rowsOf({ toolName, input }: Call, output: { type: string; value?: unknown }): string[] {
  const text = typeof output.value === 'string' ? output.value : (JSON.stringify(output.value) ?? '')
  const rows = text.split('\n')
  if (toolName === 'task')
    return citationsIn(text).map(({ path, line, excerpt }) => `${path}:${line}:${excerpt}`)
  if (toolName !== 'read') return rows
  const { file_path: path } = input as { file_path: string }
  return rows.map((row) => row.replace(/^\s*(\d+)\D/, `${path}:$1:`))
}

async function play(
  question: string,
  agent: string,
  tools: readonly string[],
  result: (call: Call) => unknown,
): Promise<string> {
  const prompt: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: question }] }]
  for (let turn = 1; turn <= MAX_TURNS; turn++) {
    const { content } = await answer(prompt, agent, tools)
    const calls = content.flatMap((part) =>
      part.type === 'tool-call' ? [{ ...part, input: JSON.parse(part.input) as unknown }] : [],
    )
    if (calls.length === 0) return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const given = calls.map((call) => ({
      type: 'tool-result',
      toolCallId: call.toolCallId,
      toolName: call.toolName,
      output: result(call),
    }))
    prompt.push({ role: 'assistant', content: calls }, {
      role: 'tool',
      content: given,
    } as LanguageModelV4Prompt[number])
  }
  throw new Error(`not done after ${MAX_TURNS} turns`)
}

async function answer(prompt: LanguageModelV4Prompt, agent: string, tools: readonly string[]) {
  return createOfflineModel().doGenerate({
    prompt,
    tools: tools.map((name) => ({ type: 'function' as const, name, inputSchema: {} })),
    providerOptions: { offshoot: { agent, depth: 0 } },
  })
}

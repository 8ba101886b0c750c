import { describe, expect, test } from 'vitest'
import {
  called,
  finish,
  harness,
  rawModel,
  said,
  tool,
  type Harness,
} from '../../test/support/runtime-harness.ts'
import type { BranchId } from '../core/ids.ts'
import { textOf } from '../core/message.ts'
import { ProviderError } from '../core/errors.ts'

const tools = [tool('read')]
const AT_LIMIT =
  'Your last answer was cut at the output limit. Go on exactly where it stopped; repeat nothing of it.'

const cut = (text: string) => [
  ...(text === '' ? [] : said(text)),
  { ...finish(), finishReason: { unified: 'length', raw: 'length' } },
]
const whole = (text: string) => [...(text === '' ? [] : said(text)), finish()]
const calling = (text: string) => [...said(text), called('read'), finish('tool-calls')]

/** Answers in their order; an error is thrown. `told`: the last text of each request. */
function scripted(...all: readonly (readonly unknown[] | Error)[]) {
  const told: string[] = []
  const model = rawModel((n, { messages }) => {
    told.push(textOf(messages.at(-1)!.parts))
    const answer = all[n] ?? whole('nothing more')
    if (answer instanceof Error) throw answer
    return answer
  })
  return { h: harness({ model, tools }), told }
}

async function goOn(h: Harness, branchId: BranchId, options: { readonly text?: string } = {}) {
  const { started } = await h.continue(branchId, options)
  return await h.clock.until(started!.result)
}

const refused = () => new ProviderError('bad', { status: 400, retryable: false })

describe('a cut answer goes on in a run that follows', () => {
  test('after the continue has failed', async () => {
    const { h, told } = scripted(cut('the number is fort'), refused(), whole('y-two.'))
    const { branchId, runId } = await h.run('go')
    expect(await goOn(h, branchId)).toMatchObject({ runId, status: 'failed', text: 'the number is fort' })
    const result = await goOn(h, branchId)
    expect(result).toMatchObject({
      status: 'completed',
      text: 'the number is forty-two.',
      note: '2 answers joined: the answer of an earlier run was cut after character 18',
      turns: 1,
    })
    expect(result.runId).not.toBe(runId)
    expect(told.at(-1)).toBe(AT_LIMIT)
    h.flush()
    const completed = h.told.findLast((event) => event.type === 'run.completed')
    expect(completed).toMatchObject({ runId: result.runId, report: 'the number is forty-two.' })
  })

  test('after it was cancelled', async () => {
    const { h, told } = scripted(cut('the number is fort'), whole('y-two.'))
    const { branchId, conversationId } = await h.run('go')
    await h.perform(conversationId, { verb: 'cancel', target: branchId, args: null })
    expect(await goOn(h, branchId)).toMatchObject({
      status: 'completed',
      text: 'the number is forty-two.',
      note: '2 answers joined: the answer of an earlier run was cut after character 18',
    })
    expect(told.at(-1)).toBe(AT_LIMIT)
  })

  test('through several runs that fail, and with what the run itself says', async () => {
    const { h } = scripted(cut('a'), refused(), cut('b'), refused(), refused(), cut('c'), whole('d'))
    const { branchId } = await h.run('go')
    for (const text of ['a', 'ab', 'ab', 'ab']) expect(await goOn(h, branchId)).toMatchObject({ text })
    expect(await goOn(h, branchId)).toMatchObject({
      text: 'abc',
      note: expect.stringContaining('partial: the 2 texts of earlier runs, then the text of turn 1'),
    })
    expect(await goOn(h, branchId)).toMatchObject({ status: 'completed', text: 'abcd' })
  })

  test('but for a text of a person, which is answered', async () => {
    const { h } = scripted(cut('half'), refused(), whole('in one'), whole('more'))
    const { branchId } = await h.run('go')
    await goOn(h, branchId)
    expect(await goOn(h, branchId, { text: 'in one word' })).toMatchObject({ text: 'in one', note: null })
    expect(await goOn(h, branchId)).toMatchObject({ text: 'more', note: null })
  })

  test('and a whole answer is not gone on with', async () => {
    const { h, told } = scripted(cut('half'), whole(' done'), whole('more'))
    const { branchId } = await h.run('go')
    await goOn(h, branchId)
    expect(await goOn(h, branchId)).toMatchObject({ text: 'more', note: null })
    expect(told.at(-1)).toBe('Continue your previous work.')
  })
})

describe('only what is asked to go on is joined', () => {
  test('a conclusion that is asked for after an empty answer stands alone', async () => {
    const { h, told } = scripted(cut('the answer is fort'), whole(''), whole('Conclusion: nothing.'))
    const { branchId } = await h.run('go')
    const result = await goOn(h, branchId)
    expect(told.at(-1)).toBe('You ended without any text. Write your conclusion now.')
    expect(result).toMatchObject({ status: 'completed', text: 'Conclusion: nothing.', note: null })
    h.flush()
    const completed = h.told.findLast((event) => event.type === 'run.completed')
    expect(completed).toMatchObject({ report: 'Conclusion: nothing.' })
  })

  test('a run that was paused before it went on is told again where it was cut', async () => {
    const { h, told } = scripted(cut('the number is fort'), whole('y-two.'))
    const { branchId } = await h.run('go')
    const { started } = await h.continue(branchId)
    started!.stop('pause')
    await h.clock.until(started!.result)
    expect(await goOn(h, branchId)).toMatchObject({ text: 'the number is forty-two.' })
    expect(told.at(-1)).toBe(AT_LIMIT)
  })

  test('it is not asked to conclude at the same time', async () => {
    const { h, told } = scripted(calling('I look.'), cut('the number is fort'), whole('y-two.'))
    const { branchId } = await h.run('go', { maxTurns: 6 })
    const { started } = await h.continue(branchId, { maxTurns: 2 })
    expect(await h.clock.until(started!.result)).toMatchObject({ text: 'the number is forty-two.' })
    expect(told.at(-1)).toBe(AT_LIMIT)
  })
})

describe('a note names the turn of each text', () => {
  test('a conclusion is none', async () => {
    const { h } = scripted(
      calling('T1'),
      calling('T2'),
      whole('conclusion'),
      calling('T3'),
      cut('T4 cut'),
      whole(' rest'),
    )
    const { branchId } = await h.run('go', { maxTurns: 2 })
    const paused = await goOn(h, branchId)
    expect(paused.note).toContain('partial: the texts of turns 1 to 4, in order')
    expect(await goOn(h, branchId)).toMatchObject({
      text: 'T4 cut rest',
      note: '2 answers joined: the answer of turn 4 was cut after character 6',
    })
  })

  test('an empty answer is one without a text', async () => {
    const { h } = scripted(cut('AAA '), cut('BBB '), cut(''), refused())
    const { branchId } = await h.run('go')
    await goOn(h, branchId)
    expect(await goOn(h, branchId)).toMatchObject({ turns: 3, text: 'AAA BBB ' })
    expect((await goOn(h, branchId)).note).toBe('partial: the texts of turns 1 and 2, in order')
  })

  test('also behind an empty answer and a conclusion', async () => {
    const { h } = scripted(calling('T1'), whole(''), cut('concl'), calling('usion'), whole(''), refused())
    const { branchId } = await h.run('go')
    expect((await goOn(h, branchId)).note).toBe('partial: the texts of turns 1 to 3, in order')
  })
})

describe('a refusal is no end of a cut answer', () => {
  const filtered = (text: string, raw: string) => [
    ...(text === '' ? [] : said(text)),
    { ...finish(), finishReason: { unified: 'content-filter', raw } },
  ]

  test.each([
    ['refusal', 'refusal', 'a refusal', 'refusal'],
    ['content_filter', 'SAFETY', 'filtered by the provider', 'content_filter'],
  ])('a %s stands apart, and the note says which text it is', async (_, raw, what, code) => {
    const { h } = scripted(cut('the number is fort'), filtered('I cannot say that.', raw))
    const { branchId } = await h.run('go')
    const result = await goOn(h, branchId)
    const text = 'the number is fort\n\nI cannot say that.'
    expect(result).toMatchObject({ status: 'failed', error: { code }, text })
    expect(result.note).toBe(`partial: the texts of turns 1 and 2, in order; the last one is ${what}`)
    h.flush()
    expect(h.told.findLast((event) => event.type === 'run.failed')).toMatchObject({ report: text })
  })

  test('one without a text leaves what was said as it is', async () => {
    const { h } = scripted(cut('the number is '), cut('fort'), filtered('', 'refusal'))
    const { branchId } = await h.run('go')
    await goOn(h, branchId)
    const result = await goOn(h, branchId)
    expect(result).toMatchObject({ status: 'failed', text: 'the number is fort' })
    expect(result.note).toBe('partial: the texts of turns 1 and 2, in order')
  })

  test('what is asked after it stands alone', async () => {
    const { h } = scripted(cut('the number is fort'), filtered('I cannot.', 'refusal'), whole('Forty-two.'))
    const { branchId } = await h.run('go')
    await goOn(h, branchId)
    expect(await goOn(h, branchId)).toMatchObject({ status: 'completed', text: 'Forty-two.', note: null })
  })

  test('a conclusion that is refused is no conclusion', async () => {
    const { h } = scripted(calling('I look.'), whole(''), filtered('I cannot.', 'refusal'))
    const result = await h.run('go')
    expect(result).toMatchObject({ status: 'failed', text: 'I look.\n\nI cannot.' })
    expect(result.note).toBe('partial: the texts of turns 1 and 2, in order; the last one is a refusal')
  })
})

describe('a fork at a cut answer', () => {
  async function forked(...all: readonly (readonly unknown[] | Error)[]) {
    const { h, told } = scripted(...all)
    const { conversationId, branchId } = await h.run('go')
    const answers = h.store.find('messages', { where: { branchId, role: 'assistant' }, orderBy: 'position' })
    const origin = answers.at(-1)!.id
    const fork = await h.perform(conversationId, { verb: 'fork', target: origin, args: null })
    return { h, told, origin, fork: fork.branchId }
  }

  test('goes on where that was cut, and its report says which message has the part before', async () => {
    const { h, told, origin, fork } = await forked(cut('the number is fort'), whole('y-two.'))
    expect(await goOn(h, fork)).toMatchObject({
      status: 'completed',
      text: 'y-two.',
      note: `continues ${origin}, which was cut and has the first part`,
    })
    expect(told.at(-1)).toBe(AT_LIMIT)
  })

  test('also where its first run has failed, and where it is cut again', async () => {
    const { h, origin, fork } = await forked(cut('the number '), refused(), cut('is fort'), whole('y-two.'))
    expect(await goOn(h, fork)).toMatchObject({ status: 'failed', text: '' })
    expect((await goOn(h, fork)).note).toContain(
      `partial: the text of turn 1, which continues ${origin}, which was cut`,
    )
    expect(await goOn(h, fork)).toMatchObject({
      text: 'is forty-two.',
      note: `2 answers joined: the answer of turn 1 was cut after character 7; continues ${origin}, which was cut and has the first part`,
    })
  })

  test('answers a text alone', async () => {
    const { h, fork } = await forked(cut('the number is fort'), whole('Two.'))
    expect(await goOn(h, fork, { text: 'in one word' })).toMatchObject({ text: 'Two.', note: null })
  })

  test('that is whole is told to go on with the work', async () => {
    const { h, told, fork } = await forked(whole('forty-two.'), whole('More.'))
    expect(await goOn(h, fork)).toMatchObject({ text: 'More.', note: null })
    expect(told.at(-1)).toBe('Continue your previous work.')
  })
})

describe('a cut answer without a text', () => {
  const thinking = [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Let me see' },
    { type: 'reasoning-end', id: 'r' },
    ...cut(''),
  ]

  test.each([
    ['nothing', cut('')],
    ['reasoning', thinking],
  ])('is nothing to go on with (%s)', async (_, nothing) => {
    const { h, told } = scripted(calling('I look.'), nothing, whole('Forty-two.'))
    const { branchId } = await h.run('go')
    expect(await goOn(h, branchId)).toMatchObject({ text: 'Forty-two.', note: null, turns: 3 })
    expect(told.at(-1)).toBe('Continue your previous work.')
  })

  test.each([
    ['nothing', cut('')],
    ['reasoning', thinking],
  ])('leaves what was cut before it to be gone on with (%s)', async (_, nothing) => {
    const { h, told } = scripted(cut('the number is fort'), nothing, whole('y-two.'))
    const { branchId } = await h.run('go')
    await goOn(h, branchId)
    expect(await goOn(h, branchId)).toMatchObject({ text: 'the number is forty-two.', turns: 3 })
    expect(told.at(-1)).toBe(AT_LIMIT)
  })
})

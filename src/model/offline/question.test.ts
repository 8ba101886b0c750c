import { describe, expect, test } from 'vitest'
import { angleLines, wordsOf, writeAngle } from './angle.ts'
import { readQuestion } from './question.ts'
import type { Transcript } from './prompt-transcript.ts'

describe('angles of a question', () => {
  test.each([
    [
      'Where are parcels sorted, and which tests cover it?',
      ['implementation parcels sorted', 'tests parcels sorted'],
    ],
    ['Where is the queue and where is the lock?', ['implementation queue', 'implementation lock']],
    ['Explain the parser and its tests', ['implementation parser', 'tests parser']],
    ['Who calls parseDate?', ['usage parseDate', 'implementation parseDate', 'tests parseDate']],
    [
      'How is the cache documented?',
      ['docs cache documented', 'implementation cache documented', 'tests cache documented'],
    ],
    [
      'What is in the config files about retries?',
      ['config retries', 'implementation retries', 'tests retries'],
    ],
    ['Give me an overview of this project', ['overview ', 'entry ']],
    ['What is in src/loop?', ['outline  in src/loop', 'overview  in src/loop']],
    [
      'Where is the lock taken in src/store/lock.ts?',
      [
        'implementation lock taken in src/store/lock.ts',
        'tests lock taken in src/store/lock.ts',
        'docs lock taken in src/store/lock.ts',
      ],
    ],
  ])('%s', (question, expected) => {
    expect(anglesOf(question)).toEqual(expected)
  })

  test('a pronoun takes the words of the question before, not of one that has words of its own', () => {
    const earlier = ['Where is the cache filled?']
    expect(anglesOf('And which tests cover it?', earlier)[0]).toBe('tests cache filled')
    expect(anglesOf('Where is the lock that guards the queue?', earlier)[0]).toBe(
      'implementation lock guards queue',
    )
  })

  test('a task is read back as the angle that it was written from', () => {
    for (const question of [
      'Where is `a.b` used in src/loop?',
      'How are e-mail addresses checked, and where is parse_date?',
    ]) {
      for (const angle of readQuestion(transcript(question)).angles) {
        const [back, ...more] = readQuestion(transcript(writeAngle(angle, question))).angles
        expect(more).toEqual([])
        expect(angleLines(back!)).toBe(angleLines(angle))
        expect(back!.asked).toBe(angle.asked)
      }
    }
  })

  test('no word of it can be taken for a citation', () => {
    const { angles } = readQuestion(transcript('What is wrong at src/a.ts:3 `const x = 1234567`?'))
    expect(angles.flatMap(wordsOf).join(', ')).not.toMatch(/:\d|`/)
  })

  test.each([
    ['fix the login', 'change'],
    ['please write a test for the parser', 'change'],
    ['how do I fix the login?', 'search'],
    ['hello there', 'greeting'],
    ['thanks a lot', 'thanks'],
    ['are you an AI?', 'about'],
    ['…', 'empty'],
    ['404', 'search'],
  ])('%s: %s', (text, intent) => {
    expect(readQuestion(transcript(text)).intent).toBe(intent)
  })
})

function anglesOf(question: string, earlier: readonly string[] = []): string[] {
  return readQuestion(transcript(question, earlier)).angles.map(
    ({ kind, terms, scope }) =>
      `${kind} ${terms.map((term) => term.word).join(' ')}${scope === null ? '' : ` in ${scope}`}`,
  )
}

function transcript(question: string, earlier: readonly string[] = []): Transcript {
  return { question, data: null, steers: [], earlier, turns: [], turnsBeforeSteer: 0, callCount: 0 }
}

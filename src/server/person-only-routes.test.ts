import { expect, test } from 'vitest'
import { decisionIn, refusal, turnIn, type Shown } from './person-only-routes.ts'
import type { Sender } from '../person/request-sender.ts'

test.each<[Sender, Shown, 'taken' | 'refused']>([
  ['person', 'token', 'taken'],
  ['person', 'session', 'taken'],
  ['person', 'key', 'taken'],
  ['agent', 'token', 'refused'],
  ['agent', 'session', 'refused'],
  ['agent', 'key', 'refused'],
  ['hidden', 'token', 'refused'],
  ['hidden', 'session', 'taken'],
  ['hidden', 'key', 'taken'],
  ['unknown', 'token', 'refused'],
  ['unknown', 'session', 'refused'],
  ['unknown', 'key', 'refused'],
])('a decision of a sender that is %s, with a %s, is %s', (sender, shown, expected) => {
  const problem = refusal('an answer', sender, shown)
  expect(problem === undefined ? 'taken' : 'refused').toBe(expected)
  expect(problem?.status ?? 403).toBe(403)
})

test('the words of a message that waits are those of a person; when it is read is not', () => {
  expect(decisionIn('changeInboxItem', { text: 'other words' })).toBe('a change to a message')
  expect(decisionIn('changeInboxItem', { mode: 'steer' })).toBeUndefined()
  expect(decisionIn('sendMessage', { text: 'x', mode: 'steer' })).toBeUndefined()
})

const ROW = { id: 'brn_1', conversationId: 'cnv_1' }

test.each([
  ['sendMessage', { text: 'x' }, ['auto'], 'auto'],
  ['steerRun', { text: 'x' }, [undefined, 'accept-edits', null], 'accept-edits'],
  ['sendMessage', { text: 'x' }, ['ask', 'auto', 'ask'], 'auto'],
  ['forkMessage', { text: 'x' }, ['auto'], 'auto'],
  ['changeInboxItem', { mode: 'steer' }, ['auto'], 'auto'],
  ['sendMessage', { text: 'x' }, ['of another version'], 'of another version'],
  ['sendMessage', { text: 'x' }, ['ask', undefined, 'plan'], undefined],
  ['sendMessage', { text: 'x' }, [null], undefined],
  ['forkMessage', {}, ['auto'], undefined],
  ['pauseBranch', {}, ['auto'], undefined],
  ['cancelRun', {}, ['auto'], undefined],
  ['withdrawInboxItem', {}, ['auto'], undefined],
] as const)('%s %j in a conversation of the modes %j: the turn is in %s', (name, input, modes, mode) => {
  const found = turnIn(name, input, ROW, { modesOf: () => modes })
  expect(found).toBe(mode && `a turn in the mode ${mode}`)
})

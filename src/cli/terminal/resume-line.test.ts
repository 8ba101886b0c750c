import { expect, it } from 'vitest'
import type { Branch } from '../../core/conversation.ts'
import type { BranchId, ConversationId } from '../../core/ids.ts'
import type { Reader } from '../../store/port.ts'
import { resumeLine } from './resume-line.ts'

const conversationId = 'cnv_1' as ConversationId
const storeWith = (kind: Branch['kind']) => ({ get: () => ({ kind }) }) as unknown as Reader
const place = { conversationId, branchId: 'brn_1' as BranchId }
const paused = { status: 'paused', reason: 'budget', endReason: 'budget', note: null } as const

it('names the conversation for its main branch, and any other branch itself', () => {
  const stopped = { ...paused, reason: 'user', endReason: 'user' } as const
  expect(resumeLine(storeWith('main'), place, stopped)).toBe('resume it: offshoot continue cnv_1')
  expect(resumeLine(storeWith('fork'), place, stopped)).toBe('resume it: offshoot continue brn_1')
  expect(resumeLine(storeWith('subagent'), place, { ...stopped, status: 'waiting' })).toContain('brn_1')
})

it('says nothing of a run that has ended', () => {
  const ended = { status: 'completed', reason: null, endReason: 'done', note: null } as const
  expect(resumeLine(storeWith('main'), place, ended)).toBeUndefined()
})

it('names what raises the limit that was reached', () => {
  const line = (note: string) => resumeLine(storeWith('main'), place, { ...paused, note })
  expect(line('the next request may cost $0.2, and $0.017 was left')).toContain(
    'continue cnv_1 --budget-usd N',
  )
  expect(line('the next request may take 5,465 tokens, and 3,000 tokens were left')).toContain(
    'limits.maxTokens',
  )
  const turns = { ...paused, reason: 'limit', endReason: 'max_turns' } as const
  expect(resumeLine(storeWith('main'), place, turns)).toContain('--max-turns N')
})

import { describe, expect, test } from 'vitest'
import type { RawConfig } from '../config/config-file.ts'
import { droppedRequests, pinOf } from './pinned-restrictions.ts'

const SOURCE = { file: 'offshoot.jsonc', sha256: 'x', root: '/nowhere' }
const RM = { tool: 'bash', pattern: 'rm *', action: 'deny' }
const CURL = { tool: 'bash', pattern: 'curl *', action: 'deny' }

function texts(before: RawConfig, now: RawConfig): string[] {
  return droppedRequests(pinOf(before, {}, SOURCE), now, SOURCE).map(({ text }) => text)
}

describe('what a trusted file no longer narrows', () => {
  test.each<[string, RawConfig, RawConfig, readonly string[]]>([
    ['a rule', { permissions: [RM] }, { permissions: [CURL] }, ['no longer denies bash with rm *']],
    ['a limit', { limits: { maxTurns: 5 } }, { limits: {} }, ['no longer sets limits.maxTurns to 5']],
    [
      'all that is said of an agent',
      { agents: { main: { disallowedTools: ['write'] } } },
      {},
      ['no longer sets agents.main.disallowedTools to ["write"]'],
    ],
    [
      'a rule of an agent that another takes the place of',
      { agents: { main: { permissions: [RM] } } },
      { agents: { main: { permissions: [CURL] } } },
      [`no longer includes ${JSON.stringify(RM)} in agents.main.permissions`],
    ],
    [
      'an unwanted tool of an agent, in a list of the same length',
      { agents: { main: { disallowedTools: ['write', 'bash'] } } },
      { agents: { main: { disallowedTools: ['bash', 'read'] } } },
      ['no longer includes write in agents.main.disallowedTools'],
    ],
    [
      'a list that is something else now',
      { agents: { main: { disallowedTools: ['write'] } } },
      { agents: { main: { disallowedTools: 'read' } } },
      ['no longer includes write in agents.main.disallowedTools'],
    ],
  ])('is asked for: %s', (_, before, now, expected) => {
    expect(texts(before, now)).toEqual(expected)
  })

  test('is nothing where lists have another order, and more in them', () => {
    const before = { agents: { main: { permissions: [RM], disallowedTools: ['write', 'bash'] } } }
    const now = { agents: { main: { permissions: [CURL, RM], disallowedTools: ['bash', 'write', 'read'] } } }
    expect(texts(before, now)).toEqual([])
  })
})

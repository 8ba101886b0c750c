import { expect, it } from 'vitest'
import { ruleListProblem } from './rule-list.ts'

const EXAMPLE = 'for example [{"tool":"bash","pattern":"git status*","action":"allow"}]'

it.each([
  [{ bash: 'allow' }, 'write [{"tool":"bash","action":"allow"}]'],
  [{ bash: true, edit: false }, 'write [{"tool":"bash","action":"allow"}, {"tool":"edit","action":"deny"}]'],
  [{ Bash: { 'rm *': 'deny' } }, 'write [{"tool":"bash","pattern":"rm *","action":"deny"}]'],
  [{ tool: 'bash', action: 'deny' }, 'write [{"tool":"bash","action":"deny"}]'],
  [
    { deny: ['Bash(rm:*)', 'Read'] },
    'write [{"tool":"bash","pattern":"rm *","action":"deny"}, {"tool":"read","action":"deny"}]',
  ],
  ['bash:git *', 'write ["bash:git *"]'],
  [
    { read: 'allow', list: 'allow', glob: 'allow', grep: 'allow' },
    'write [{"tool":"read","action":"allow"}, {"tool":"list","action":"allow"}, {"tool":"glob","action":"allow"}, ...]',
  ],
  [{ bash: 'maybe' }, EXAMPLE],
  [{ bash: { a: { b: 1 } } }, EXAMPLE],
  [{}, EXAMPLE],
  [7, EXAMPLE],
  [null, EXAMPLE],
])('%j is no list of rules', (value, instead) => {
  expect(ruleListProblem(value)).toBe(`expected a list of rules, not ${JSON.stringify(value)}; ${instead}`)
})

import { expect, test } from 'vitest'
import { claudeRules } from './claude-rules.ts'

const allow = (...values: string[]) => claudeRules('--allowedTools', values, 'allow')
const deny = (...values: string[]) => claudeRules('--disallowedTools', values, 'deny')

test.each([
  [['Read'], [{ tool: 'read' }]],
  [['Read,Edit, Bash'], [{ tool: 'read' }, { tool: 'edit' }, { tool: 'bash' }]],
  [
    ['Bash(git log:*)', 'Bash(npm test)'],
    [
      { tool: 'bash', pattern: 'git log *' },
      { tool: 'bash', pattern: 'npm test' },
    ],
  ],
  [['Edit(src/**)'], [{ tool: 'edit', pattern: 'src/**' }]],
  [['WebFetch(domain:example.com)'], [{ tool: 'webfetch', pattern: 'example.com' }]],
  [['*'], [{ tool: '*' }]],
])('%j allows exactly that', (values, rules) => {
  expect(allow(...values)).toEqual(rules.map((rule) => ({ ...rule, action: 'allow' })))
})

test('what forbids binds every tool that does it', () => {
  expect(deny('Edit(secrets/**)', 'Bash(rm:*)', 'WebSearch')).toEqual([
    { tool: 'websearch', action: 'deny' },
    { tool: 'edit', pattern: 'secrets/**', action: 'deny' },
    { tool: 'write', pattern: 'secrets/**', action: 'deny' },
    { tool: 'bash', pattern: 'rm *', action: 'deny' },
  ])
})

test.each([
  ['mcp__github__search', 'MCP servers are not available yet'],
  ['NotebookEdit', 'Offshoot has no such tool'],
  ['Raed', 'did you mean read?'],
  ['Read(~/.ssh/**)', 'has no equivalent here'],
  ['Bash(^rm .*$)', 'has no equivalent here'],
  ['fix the bug', 'Offshoot has no such tool; leave it out, or put the prompt before the list'],
])('%s is an error, and nothing is dropped', (value, said) => {
  for (const rules of [allow, deny]) expect(() => rules('Read', value)).toThrow(said)
})

test.each([
  ['Bash(git commit -m fix, *)', 'a list of patterns'],
  ['Bash(echo hello, touch:*)', 'a list of patterns'],
  ['*(git:*)', '* takes no pattern'],
])('%s would allow more than it says', (value, said) => {
  expect(() => allow(value)).toThrow(said)
})

test('what forbids an agent binds ours and one of the project with that name', () => {
  expect(deny('Task(code-reviewer)')).toEqual([
    { tool: 'task', pattern: 'code-reviewer', action: 'deny' },
    { tool: 'task', pattern: 'reviewer', action: 'deny' },
  ])
})

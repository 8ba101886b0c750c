import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatCommands, parseChatCommand } from './parse-chat-command.ts'

describe('parseChatCommand', () => {
  it.each([
    ['/spawn "map the parser"', { command: 'spawn', task: 'map the parser' }],
    ['/spawn map the parser', { command: 'spawn', task: 'map the parser' }],
    [
      `/spawn --label 'the map' --cli claude --agent explore "say \\"hi\\""`,
      { command: 'spawn', task: 'say "hi"', label: 'the map', cli: 'claude', agent: 'explore' },
    ],
    ['/spawn “on a phone”', { command: 'spawn', task: 'on a phone' }],
    ['/spawn "--label is an option"', { command: 'spawn', task: '--label is an option' }],
    ['  /spawn two\nlines', { command: 'spawn', task: 'two lines' }],
    ['/subagents', { command: 'list' }],
    ['/subagents list', { command: 'list' }],
    ['/subagents stop #2', { command: 'stop', target: '2' }],
    ['/subagents stop all', { command: 'stop', target: 'all' }],
    ['/subagents log brn_X', { command: 'log', target: 'brn_X' }],
    ['/stop', { command: 'stop-all' }],
    ['/approve 3', { command: 'approve', target: '3', answer: 'once' }],
    ['/approve #3 deny', { command: 'approve', target: '3', answer: 'deny' }],
    ['/new', { command: 'new' }],
    ['/help', { command: 'help' }],
  ])('reads %j', (line, command) => expect(parseChatCommand(line)).toEqual(command))

  it.each([
    ['/spawn', 'it needs a task. Write: /spawn ['],
    ['/spawn ""', 'it needs a task'],
    ['/spawn --label', '--label needs a value'],
    ['/spawn --model x y', 'unknown option --model'],
    ['/subagents stop', 'Write: /subagents [list], or /subagents stop <id|#|all>, or /subagents log <id|#>'],
    ['/subagents kill 2', 'Write: /subagents'],
    ['/subagents log all', 'name one subagent'],
    ['/stop 2', '/subagents stop <id|#> stops one. Write: /stop'],
    ['/approve', 'Write: /approve <#>'],
    ['/approve 3 yes', 'yes is not an answer'],
    ['/new chat', 'Write: /new'],
  ])('says what is wrong with %j', (line, message) => {
    const parsed = parseChatCommand(line)
    expect(parsed).toMatchObject({ command: 'wrong', message: expect.stringContaining(message) as string })
  })

  it.each(['hello', '/etc/hosts is missing', '/spawned', '/', '', 'see /stop', '/unknown'])(
    'leaves the message %j alone',
    (line) => expect(parseChatCommand(line)).toBeUndefined(),
  )

  it('stands whatever is written', () => {
    const pieces = fc.constantFrom(
      '/spawn ',
      '/approve ',
      '--label ',
      '"',
      "'",
      '\\',
      '“',
      ' ',
      '#1',
      'x',
      '\n',
    )
    fc.assert(
      fc.property(fc.array(pieces), (words) => {
        const parsed = parseChatCommand(`/spawn ${words.join('')}`)
        expect(['spawn', 'wrong']).toContain(parsed?.command)
      }),
    )
  })

  it('knows every command of its help', () => {
    for (const form of chatCommands) expect(parseChatCommand(form.split(' ')[0]!)).toBeDefined()
  })
})

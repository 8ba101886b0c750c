import { describe, expect, test } from 'vitest'
import type { AgentFormat } from '../agent-format.ts'
import { claudeFormat } from './claude.ts'
import { codexFormat } from './codex.ts'
import { copilotFormat } from './copilot.ts'
import { cursorFormat } from './cursor.ts'
import { geminiFormat } from './gemini.ts'
import { opencodeConfigFormat } from './opencode-config.ts'
import { opencodeFormat } from './opencode.ts'

const file = (matter: string, body = 'You do it.') => `---\n${matter}\n---\n\n${body}\n`

function agentOf(format: AgentFormat, text: string, path = '/p/critic.md') {
  const [parsed] = format.parse(text, path)
  if (parsed && 'agent' in parsed) return { ...parsed.agent, warnings: parsed.warnings }
  throw new Error(parsed?.skipped)
}

function skippedOf(format: AgentFormat, text: string, path = '/p/critic.md') {
  const [parsed] = format.parse(text, path)
  return parsed && 'skipped' in parsed ? parsed.skipped : null
}

const MARKDOWN = [claudeFormat, opencodeFormat, geminiFormat, cursorFormat, copilotFormat]

describe.each(MARKDOWN.map((format) => [format.name, format] as const))('a %s file', (_, format) => {
  const agent = (matter: string) => agentOf(format, file(matter))

  test('has a name, a description and a prompt', () => {
    expect(agent('name: judge\ndescription: Judges.')).toMatchObject({
      name: 'judge',
      description: 'Judges.',
      prompt: 'You do it.',
      source: '/p/critic.md',
      warnings: [],
    })
  })

  test('is named after itself', () => {
    expect(agent('description: x').name).toBe('critic')
    expect(agentOf(format, file('description: x'), '/p/deep.agent.md').name).toBe('deep')
  })

  test.each([
    ['name: a', 'it has no description'],
    ['name: ""\ndescription: x', 'its name is empty'],
    ['name:\ndescription: x', 'its name is empty'],
    ['name: "a:b"\ndescription: x', 'its name contains a colon'],
    ['name: "a\\e[31m"\ndescription: x', 'its name contains invisible characters'],
  ])('%j is skipped: %s', (matter, reason) => {
    expect(skippedOf(format, file(matter))).toBe(reason)
  })

  test('is read though its front matter is no YAML', () => {
    const text =
      '\ufeff---\r\nname: judge\r\ndescription: Use for: judging "things": now\r\ncolor: red\r\n---\r\nBody'
    expect(agentOf(format, text)).toMatchObject({
      name: 'judge',
      description: 'Use for: judging "things": now',
      prompt: 'Body',
      extra: { color: 'red' },
      warnings: [
        'line 3: the value of description is not valid YAML; it is read as plain text',
        'kept, but has no effect here: color',
      ],
    })
  })

  test('is read with tabs, with a key that stands twice, and without an end of its front matter', () => {
    const tabs = agent('name: judge\ndescription: d\nnotes:\n\t- a\n\t- b')
    expect(tabs.extra).toEqual({ notes: ['a', 'b'] })
    const twice = agent('name: judge\ndescription: one\ndescription: two')
    expect(twice).toMatchObject({
      description: 'two',
      warnings: [expect.stringMatching(/description appears twice/)],
    })
    const open = agentOf(format, '---\nname: judge\ndescription: d\nlist:\n- a\n\n# Role\nYou judge.\n')
    expect(open).toMatchObject({ name: 'judge', prompt: '# Role\nYou judge.', extra: { list: ['a'] } })
    expect(open.warnings[0]).toMatch(/not closed .* up to line 6/)
  })

  test('keeps the keys that nobody knows, whatever their name', () => {
    const { extra } = agent('description: x\n__proto__: {admin: true}\nconstructor: 1\nhooks: {a: [1, null]}')
    expect(Object.entries(extra!)).toEqual([
      ['__proto__', { admin: true }],
      ['constructor', 1],
      ['hooks', { a: [1, null] }],
    ])
    expect(({} as { admin?: unknown }).admin).toBeUndefined()
  })

  test('takes what looks like front matter in its prompt for its prompt', () => {
    expect(
      agentOf(format, file('description: x\ntools: [Read]', '---\ntools: [Bash]\n---\nmore')).prompt,
    ).toBe('---\ntools: [Bash]\n---\nmore')
  })
})

describe('tools', () => {
  test.each([
    ['tools: Read, Write, Edit, MultiEdit, Bash, Glob, Grep, LS, WebFetch, WebSearch, TodoWrite'],
    ['tools: [Read, Write, Edit, MultiEdit, Bash, Glob, Grep, LS, WebFetch, WebSearch, TodoWrite]'],
    ['tools: [Read, Write, "Edit", MultiEdit, Bash, Glob, Grep, LS, WebFetch, WebSearch, TodoWrite'],
    ['tools: Read Write Edit MultiEdit Bash Glob Grep LS WebFetch WebSearch TodoWrite'],
    [
      'tools:\n  - Read\n  - Write\n  - Edit\n  - MultiEdit\n  - Bash\n  - Glob\n  - Grep\n  - LS\n  - WebFetch\n  - WebSearch\n  - TodoWrite',
    ],
  ])('of Claude Code, as %j', (tools) => {
    expect(agentOf(claudeFormat, file(`description: x\n${tools}`)).tools).toEqual([
      'read',
      'write',
      'edit',
      'bash',
      'glob',
      'grep',
      'list',
      'webfetch',
      'websearch',
      'todo',
    ])
  })

  test('that are not here are kept and said', () => {
    const { tools, warnings } = agentOf(
      claudeFormat,
      file('description: x\ntools: Read, mcp__github__search, NotebookEdit, Skill'),
    )
    expect(tools).toEqual(['read', 'mcp__github__search', 'NotebookEdit', 'Skill'])
    expect(warnings).toEqual(['tools: not available here: mcp__github__search, NotebookEdit, Skill'])
  })

  test('that are not here and have a name that means something else here are left out', () => {
    expect(agentOf(claudeFormat, file('description: x\ntools: Read, files, agents')).tools).toEqual(['read'])
  })

  test('that may not be used stay so when they come', () => {
    expect(
      agentOf(claudeFormat, file('description: x\ndisallowedTools: Write, mcp__x__y')).disallowedTools,
    ).toEqual(['write', 'mcp__x__y'])
    expect(agentOf(claudeFormat, file('description: x\ndisallowedTools: "*"')).disallowedTools).toEqual(['*'])
    expect(
      agentOf(claudeFormat, file('description: x\ntools: Read, Task\ndisallowedTools: Task(explore, b)'))
        .permissions,
    ).toEqual([
      { tool: 'task', pattern: 'explore', action: 'deny' },
      { tool: 'task', pattern: 'b', action: 'deny' },
    ])
    const tools = '{bash: false, "github_*": false, "x_*": true}'
    expect(agentOf(opencodeFormat, file(`description: x\ntools: ${tools}`))).toMatchObject({
      disallowedTools: ['bash', 'github_*'],
      warnings: ['tools: not available here: x_*'],
    })
  })

  test('of a map are the last that matches, and one that is false by its own name is gone', () => {
    const of = (tools: string) => agentOf(opencodeFormat, file(`description: x\ntools: ${tools}`))
    expect(of('{"*": false, read: true, grep: true}').tools).toEqual(['read', 'grep'])
    expect(of('{write: false}').disallowedTools).toEqual(['edit', 'write'])
    expect(of('{write: false, edit: true}').disallowedTools).toEqual(['write'])
    expect(of('{read: true}')).not.toHaveProperty('disallowedTools')
  })

  test('no key is all, an empty list none, and a star all', () => {
    const tools = (value: string) => agentOf(claudeFormat, file(`description: x${value}`)).tools
    expect([tools(''), tools('\ntools:'), tools('\ntools: []'), tools('\ntools: "*"')]).toEqual([
      undefined,
      undefined,
      [],
      undefined,
    ])
  })

  test('for some calls only become rules', () => {
    expect(
      agentOf(claudeFormat, file('description: x\ntools: Read, Bash(git log:*), Bash(npm test)')),
    ).toMatchObject({
      tools: ['read', 'bash'],
      permissions: [
        { tool: 'bash', action: 'deny' },
        { tool: 'bash', pattern: 'git log *', action: 'allow' },
        { tool: 'bash', pattern: 'npm test', action: 'allow' },
      ],
    })
  })

  test('with brackets in a pattern, or one that is not closed, are never taken for the whole tool', () => {
    for (const tools of ['Bash(node -e "f(1)")', 'Bash(git'])
      expect(agentOf(claudeFormat, file(`description: x\ntools: '${tools}'`)).permissions?.[0]).toEqual({
        tool: 'bash',
        action: 'deny',
      })
  })

  test('Task and Agent start agents, those in brackets only these', () => {
    const of = (tools: string) => agentOf(claudeFormat, file(`description: x\ntools: ${tools}`))
    expect(of('Read, Task')).toMatchObject({ tools: ['read', 'task'] })
    expect(of('Read, Task').spawns).toBeUndefined()
    expect(of('Agent(critic, planner), Read')).toMatchObject({
      tools: ['read', 'task'],
      spawns: ['critic', 'planner'],
    })
  })

  test('of Gemini CLI', () => {
    const tools =
      '[read_file, read_many_files, write_file, replace, run_shell_command, search_file_content, list_directory, google_web_search, web_fetch, mcp_x_y, save_memory]'
    expect(agentOf(geminiFormat, file(`description: x\ntools: ${tools}`)).tools).toEqual([
      'read',
      'write',
      'edit',
      'bash',
      'grep',
      'list',
      'websearch',
      'webfetch',
      'mcp_x_y',
      'save_memory',
    ])
  })

  test('and tool sets of Copilot', () => {
    const tools = "['read', 'edit', 'search', 'execute', 'web/fetch', 'github/*', 'runTests', 'agent']"
    expect(agentOf(copilotFormat, file(`description: x\ntools: ${tools}\nagents: [a, 'b c']`))).toMatchObject(
      {
        tools: [
          'read',
          'edit',
          'write',
          'grep',
          'glob',
          'list',
          'bash',
          'webfetch',
          'task',
          'github/*',
          'runTests',
        ],
        spawns: ['a'],
        warnings: ['tools: not available here: github/*, runTests', 'agents: names with spaces are left out'],
      },
    )
  })

  test('that are no list skip the file', () => {
    expect(skippedOf(claudeFormat, file('description: x\ntools: {Read: true}'))).toMatch(
      /its tools cannot be read/,
    )
    expect(skippedOf(copilotFormat, file('description: x\ntools: [{a: 1}]'))).toMatch(
      /its tools cannot be read/,
    )
  })
})

describe('what restricts and cannot be read for certain skips the file', () => {
  test.each([
    [claudeFormat, 'disallowedTools: [Bash\ncolor: "'],
    [claudeFormat, 'disallowedTools: Bash\ndisallowedTools: Write'],
    [claudeFormat, 'permissions: nonsense'],
    [opencodeFormat, 'permission: {bash: true}'],
    [opencodeFormat, 'permission: [deny]'],
    [opencodeFormat, 'permission: {bash: deny\ncolor: "'],
    [opencodeFormat, 'permissions: [{action: bash, effect: maybe}]'],
    [opencodeFormat, 'tools: {write: no way}'],
    [cursorFormat, 'readonly: true\nreadonly: false'],
  ])('%#', (format, matter) => {
    expect(skippedOf(format, file(`description: x\n${matter}`))).toMatch(/^its .*(cannot be read|is neither)/)
  })

  test.each([
    [claudeFormat, 'disalowedTools: Bash', 'did you mean disallowedTools?', 3],
    [claudeFormat, 'toolz: Read', 'did you mean tools?', 3],
    [claudeFormat, 'permision: {}', 'did you mean permissions?', 3],
    [claudeFormat, 'maxTurn: 3', 'did you mean maxTurns?', 3],
    [claudeFormat, 'isolaton: worktree', 'did you mean isolation?', 3],
    [claudeFormat, 'isolation: worktree', '"worktree" has no effect', 3],
    [claudeFormat, 'maxTurns: many', 'a whole number from 1', 3],
    [claudeFormat, 'permissionMode: plna', 'the mode is not known', 3],
    [claudeFormat, 'permissions: {dney: [Bash]}', 'is not allow, ask or deny', 3],
    [claudeFormat, 'permissions:\n  deny: ["Bsh(rm *)"]', 'did you mean bash?', 3],
    [claudeFormat, 'disallowedTools: [Read, Bassh]', 'did you mean bash?', 3],
    [claudeFormat, 'tools: Read\nallowedTools: Bash', 'set the same thing but differ', 4],
    [opencodeFormat, 'mode: plna', 'the mode is not known', 3],
    [opencodeFormat, 'tools: {bsah: false}', 'did you mean bash?', 3],
    [opencodeFormat, 'permission: {bsh: deny}', 'did you mean bash?', 3],
    [opencodeFormat, 'disallowedTools: [bsh]', 'did you mean bash?', 3],
    [geminiFormat, 'disallowedTools: {bash: false}', 'expected a list of tool names', 3],
    [geminiFormat, 'allowed_tools: [read_file]', 'did you mean allowedTools?', 3],
    [geminiFormat, 'readonly: perhaps', 'expected true or false', 3],
    [copilotFormat, 'permissions: []', 'agents of this program do not have it', 3],
    [cursorFormat, 'readonyl: true', 'did you mean readonly?', 3],
  ] as const)('%# %s', (format, matter, said, line) => {
    const skipped = skippedOf(format, file(`description: x\n${matter}`))
    expect(skipped).toContain(said)
    expect(skipped).toMatch(new RegExp(`\\(line ${line}\\)$`))
  })

  test.each([
    [codexFormat, 'name = "a"\ndescription = "d"\ndisalowed_tools = ["bash"]', 3],
    [opencodeConfigFormat, '{"agent": {\n"a": {"description": "d",\n"permission": {"bash": "dney"}}}}', 3],
  ] as const)('%# with its line, whatever the syntax of the file', (format, text, line) => {
    expect(skippedOf(format, text)).toContain(`(line ${line})`)
  })

  test('so does a file that says it is not to be used', () => {
    expect(skippedOf(opencodeFormat, file('description: x\ndisable: true'))).toBe('it is disabled')
    expect(skippedOf(geminiFormat, file('description: x\nkind: remote'))).toBe('it runs on another machine')
  })
})

describe('what restricts in the words of another program keeps its meaning', () => {
  const WRITES_NOTHING = [
    { tool: 'write', action: 'deny' },
    { tool: 'edit', action: 'deny' },
  ]

  test('a list of opencode with a pattern is for these calls only', () => {
    const agent = agentOf(opencodeFormat, file('description: x\ntools: [Read, Bash(git diff)]'))
    expect(agent).toMatchObject({
      tools: ['read', 'bash'],
      permissions: [
        { tool: 'bash', action: 'deny' },
        { tool: 'bash', pattern: 'git diff', action: 'allow' },
      ],
    })
  })

  test.each(MARKDOWN.map((format) => [format] as const))('$name: readonly and mode plan', (format) => {
    for (const line of ['readonly: true', 'mode: plan', 'permissionMode: plan'])
      expect(agentOf(format, file(`description: x\n${line}`)).permissions, line).toEqual(
        expect.arrayContaining(WRITES_NOTHING),
      )
    expect(agentOf(format, file('description: x\nreadonly: false\nmaxTurns: 4'))).toMatchObject({
      maxTurns: 4,
    })
  })

  test('a pattern that ours cannot say becomes stricter, and loses no file', () => {
    const rules = (permission: string) =>
      agentOf(opencodeFormat, file(`description: x\npermission: ${permission}`)).permissions
    expect(rules('{edit: {"./src/*": deny, "../x": deny, "~/a": allow}}')).toEqual([
      { tool: 'edit', pattern: 'src/***', action: 'deny' },
      { tool: 'write', pattern: 'src/***', action: 'deny' },
      { tool: 'edit', action: 'deny' },
      { tool: 'write', action: 'deny' },
    ])
    expect(rules('{bash: {"npm run test:*": deny}}')).toEqual([
      { tool: 'bash', pattern: 'npm run test:**', action: 'deny' },
    ])
  })

  test.each([
    [opencodeFormat, 'disallowedTools: [Write, Edit]', ['edit', 'write']],
    [opencodeFormat, 'tools: {bash: false}\ndisallowedTools: [Write]', ['bash', 'edit', 'write']],
    [geminiFormat, 'tools: [Read]\ndisallowed_tools: Write, Edit', ['write', 'edit']],
    [copilotFormat, 'disallowedTools: [editFiles]', ['edit', 'write']],
  ] as const)('%# a list of what is denied counts in a file of any program', (format, matter, denied) => {
    expect(agentOf(format, file(`description: x\n${matter}`)).disallowedTools).toEqual(denied)
  })

  test('a pattern of what is denied counts there too', () => {
    expect(
      agentOf(opencodeFormat, file('description: x\ndisallowedTools: ["Bash(rm:*)"]')).permissions,
    ).toEqual([{ tool: 'bash', pattern: 'rm *', action: 'deny' }])
  })

  test('dontAsk gives nothing, and is said', () => {
    const agent = agentOf(claudeFormat, file('description: x\npermissionMode: dontAsk'))
    expect(agent.permissions).toBeUndefined()
    expect(agent.warnings).toEqual([expect.stringContaining('permissionMode is ignored')])
  })

  test.each([
    ['hooks: {PreToolUse: [{matcher: Bash}]}', [{ tool: 'bash', action: 'ask' }]],
    [
      'hooks:\n  PreToolUse:\n    - matcher: "Edit|Write"\n      hooks: [{type: command, command: x}]',
      [
        { tool: 'edit', action: 'ask' },
        { tool: 'write', action: 'ask' },
      ],
    ],
    ['hooks: {PreToolUse: [{hooks: [{type: command, command: x}]}]}', [{ tool: '*', action: 'ask' }]],
    ['hooks: {PreToolUse: [{matcher: "(Ba|z)sh"}]}', [{ tool: '*', action: 'ask' }]],
    ['hooks: {PreToolUse: [{matcher: "mcp__.*"}]}', [{ tool: '*', action: 'ask' }]],
    ['hooks: {PermissionRequest: [{matcher: Read}]}', [{ tool: 'read', action: 'ask' }]],
    ['hooks: {pre_tool_use: whatever}', [{ tool: '*', action: 'ask' }]],
    ['hooks: {PreToolUse: [{matcher: Skill}]}', undefined],
    ['hooks: {PreToolUse: []}', undefined],
    [
      'tools: Read, Bash(git diff)\nhooks: {PreToolUse: [{matcher: Bash}]}',
      [
        { tool: 'bash', action: 'ask' },
        { tool: 'bash', action: 'deny' },
        { tool: 'bash', pattern: 'git diff', action: 'ask' },
      ],
    ],
  ])('%# what a hook may refuse asks: %s', (matter, permissions) => {
    const agent = agentOf(claudeFormat, file(`description: x\n${matter}`))
    expect(agent.permissions).toEqual(permissions)
    expect(agent.extra?.hooks).toBeDefined()
    if (permissions) expect(agent.warnings.join()).toContain('hooks are not run')
  })

  test('readonly never turns what is denied into a question', () => {
    expect(
      agentOf(cursorFormat, file('description: x\nreadonly: true\ntools: Read, Bash(git diff)')).permissions,
    ).toEqual([
      { tool: 'bash', action: 'ask' },
      { tool: 'bash', action: 'deny' },
      { tool: 'bash', pattern: 'git diff', action: 'ask' },
      { tool: 'write', action: 'deny' },
      { tool: 'edit', action: 'deny' },
    ])
  })

  test('only the permission that opencode asks for allows changing files', () => {
    const matter =
      'description: x\npermission: {edit: {"*": deny}, apply_patch: allow, write: allow, patch: ask}'
    expect(agentOf(opencodeFormat, file(matter)).permissions).toEqual([
      { tool: 'edit', action: 'deny' },
      { tool: 'write', action: 'deny' },
    ])
  })

  test.each([
    [geminiFormat, 'tools: [google_search]', ['websearch']],
    [cursorFormat, 'tools: [codebase_search, run_terminal_cmd, edit_file]', ['grep', 'glob', 'bash', 'edit']],
    [copilotFormat, 'tools: [create, view]', ['write', 'read']],
    [claudeFormat, 'tools: [code_search]', ['code_search']],
    [copilotFormat, 'tools: [read/getTaskOutput]', ['read/getTaskOutput']],
  ] as const)('%# other names of our tools are theirs too: %s', (format, matter, tools) => {
    expect(agentOf(format, file(`description: x\n${matter}`)).tools).toEqual(tools)
  })

  test('keys that only look alike are kept', () => {
    const agent = agentOf(
      claudeFormat,
      file('description: x\nmodels: [a]\ncode: 1\ncolor: red\ntags: [a]\nhooks: {Stop: []}'),
    )
    expect(Object.keys(agent.extra!)).toEqual(['models', 'code', 'color', 'tags', 'hooks'])
  })
})

describe('the other keys', () => {
  test('of Claude Code', () => {
    const matter =
      'description: x\nmodel: sonnet\nmaxTurns: 7\nbackground: true\nisolation: none\neffort: high\nskills: [a]\nmcpServers: [s, {inline: {command: touch}}]\nmemory: user'
    expect(agentOf(claudeFormat, file(matter))).toMatchObject({
      model: 'sonnet',
      maxTurns: 7,
      background: true,
      isolation: 'none',
      effort: 'high',
      skills: ['a'],
      mcpServers: ['s', 'inline'],
      extra: { memory: 'user' },
    })
  })

  test('a value that our field cannot hold is ignored by name', () => {
    expect(agentOf(claudeFormat, file('description: x\neffort: hard')).warnings).toEqual([
      'effort is ignored: expected one of none, minimal, low, medium, high, xhigh, max',
    ])
  })

  test('of opencode, Gemini CLI, Cursor and Copilot', () => {
    expect(
      agentOf(opencodeFormat, file('description: x\nmode: primary\nsteps: 4\ntemperature: 0')),
    ).toMatchObject({
      maxTurns: 4,
      temperature: 0,
      extra: { mode: 'primary' },
    })
    expect(agentOf(geminiFormat, file('description: x\nmax_turns: 3\ntimeout_mins: 1.5'))).toMatchObject({
      maxTurns: 3,
      timeoutMs: 90_000,
    })
    expect(agentOf(cursorFormat, file('description: x\nreadonly: true\nis_background: true'))).toMatchObject({
      background: true,
      permissions: [
        { tool: 'write', action: 'deny' },
        { tool: 'edit', action: 'deny' },
        { tool: 'bash', action: 'ask' },
      ],
    })
    expect(agentOf(copilotFormat, file("description: x\nmodel: ['A', 'B']")).model).toBe('A')
  })
})

describe('a Codex file', () => {
  const toml = (text: string) =>
    agentOf(codexFormat, `name = "porter"\ndescription = "Ports."\n${text}`, '/p/x.toml')

  test('is an agent', () => {
    expect(
      toml(
        'developer_instructions = """\nYou port.\n"""\nmodel = "gpt-x"\nmodel_reasoning_effort = "high"\nsandbox_mode = "workspace-write"\nnickname_candidates = ["a"]\n[mcp_servers.docs]\nurl = "x"',
      ),
    ).toMatchObject({
      name: 'porter',
      description: 'Ports.',
      prompt: 'You port.',
      model: 'gpt-x',
      effort: 'high',
      mcpServers: ['docs'],
      extra: { nickname_candidates: ['a'], sandbox_mode: 'workspace-write' },
    })
  })

  test('without a name has that of the file', () => {
    expect(agentOf(codexFormat, 'description = "d"', '/p/fixer.toml').name).toBe('fixer')
  })

  test('a sandbox can only narrow', () => {
    expect(toml('sandbox_mode = "read-only"').permissions).toEqual([
      { tool: 'write', action: 'deny' },
      { tool: 'edit', action: 'deny' },
      { tool: 'bash', action: 'ask' },
    ])
    const full = toml('sandbox_mode = "danger-full-access"')
    expect(full.permissions).toBeUndefined()
    expect(full.warnings).toEqual([expect.stringMatching(/cannot allow more/)])
    expect(skippedOf(codexFormat, 'description = "d"\nsandbox_mode = "other"')).toBe(
      'its sandbox_mode is unknown (line 2)',
    )
  })

  test.each([['name = '], [`a = ${'['.repeat(5_000)}`], ['x = 1\nx = 2'], ['\0']])(
    '%j is no TOML',
    (text) => {
      expect(skippedOf(codexFormat, text)).toMatch(/^it is not valid TOML/)
    },
  )

  test('keys that are no keys of an object are kept as keys', () => {
    const { extra } = toml('[__proto__]\nadmin = true')
    expect(Object.keys(extra!)).toEqual(['__proto__'])
    expect(({} as { admin?: unknown }).admin).toBeUndefined()
  })
})

describe('opencode.json', () => {
  const parts = (text: string) => opencodeConfigFormat.parse(text, '/p/opencode.json')

  test('holds several agents, with comments, and one that is broken hides no other', () => {
    const text = `{ // of the team
      "agent": {
        "judge": { "description": "Judges.", "prompt": "You judge.", "model": "anthropic/x", "tools": { "write": false } },
        "build": { "temperature": 0 },
        "text": "x",
        "__proto__": { "description": "d", "prompt": "p" },
      },
    }`
    expect(parts(text)).toEqual([
      expect.objectContaining({
        part: 'agent judge',
        agent: expect.objectContaining({
          name: 'judge',
          prompt: 'You judge.',
          source: '/p/opencode.json#judge',
          disallowedTools: ['edit', 'write'],
        }),
      }),
      expect.objectContaining({ part: 'agent build', skipped: 'it has no description' }),
      expect.objectContaining({ part: 'agent text', skipped: 'it is not an object' }),
      expect.objectContaining({ agent: expect.objectContaining({ name: '__proto__' }) }),
    ])
  })

  test('a prompt in another file is read by the agent', () => {
    const [parsed] = parts('{"agent": {"a": {"description": "d", "prompt": "{file:./../../etc/passwd}"}}}')
    expect(parsed).toMatchObject({
      agent: { prompt: expect.stringMatching(/written in the file "\.\/\.\.\/\.\.\/etc\/passwd"\. Read it/) },
      warnings: [expect.stringMatching(/must read itself/)],
    })
  })

  test('without agents says nothing', () => {
    expect(parts('{"theme": "x"}')).toEqual([])
  })

  test.each([
    ['{"agent": ', /^it is not valid JSON \(line 1\)/],
    ['[]', /no readable agents/],
    ['{"agent": []}', /no readable agents/],
    [`{"agent": ${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`, /nested deeper than 32/],
    [`{"agent": ${'['.repeat(50_000)}`, /nested deeper|not valid JSON/],
  ])('%.30j is one reason', (text, reason) => {
    expect(parts(text)).toEqual([{ skipped: expect.stringMatching(reason), warnings: [] }])
  })

  test('holds at most 200', () => {
    const agent = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`a${i}`, { description: 'd' }]))
    expect(parts(JSON.stringify({ agent }))).toHaveLength(201)
  })
})

test('a temperature that its model does not take is left out, and the agent stays', () => {
  const agent = agentOf(opencodeFormat, file('description: x\nmodel: openai/gpt-6-sol\ntemperature: 0.1'))
  expect(agent.temperature).toBeUndefined()
  expect(agent.warnings).toEqual([
    expect.stringMatching(/^temperature is ignored: temperature has no effect with /),
  ])
})

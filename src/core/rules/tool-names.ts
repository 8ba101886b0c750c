/**
 * The working tools: toolset and the other names under which models and agent files know each. The one list for rules,
 * tool lists and the tools themselves, so that a name means the same wherever it is read.
 */
export const workingTools = {
  read: { toolset: 'files', aliases: ['Read', 'read_file', 'view', 'cat', 'NotebookRead'] },
  write: { toolset: 'files', aliases: ['Write', 'write_file', 'create_file'] },
  edit: {
    toolset: 'files',
    aliases: ['Edit', 'MultiEdit', 'str_replace', 'edit_file', 'replace', 'search_replace'],
  },
  list: { toolset: 'files', aliases: ['LS', 'ls', 'list_dir', 'list_directory', 'list_files'] },
  glob: { toolset: 'files', aliases: ['Glob', 'find_files', 'file_search'] },
  grep: {
    toolset: 'files',
    aliases: ['Grep', 'search', 'grep_search', 'search_file_content', 'ripgrep', 'rg'],
  },
  bash: {
    toolset: 'shell',
    aliases: ['Bash', 'shell', 'run_command', 'run_shell_command', 'execute_command', 'run_terminal_cmd'],
  },
  todo: {
    toolset: 'planning',
    aliases: ['TodoWrite', 'TodoRead', 'todo_write', 'todo_read', 'update_plan', 'write_todos'],
  },
  ask_user: {
    toolset: 'people',
    aliases: ['AskUserQuestion', 'ask_question', 'ask_human', 'ask_followup_question', 'question'],
  },
  webfetch: { toolset: 'web', aliases: ['fetch', 'fetch_url', 'read_url'] },
  websearch: { toolset: 'web', aliases: ['search_web', 'google_search', 'internet_search'] },
} as const

/** Other names of the `task` tool. */
export const taskAliases = ['Task', 'Agent', 'subagent', 'spawn_subagent', 'agentManager_subagent'] as const

/** Those of them that start in the background where nobody says otherwise, as they do in their systems. */
const backgroundAliases = ['subagent', 'spawn_subagent'] as const

/** The tools that go with `task`, and other names of each. */
export const controlAliases = {
  task_status: ['subagent_status', 'get_subagent_status', 'list_subagents', 'agent_status', 'list_tasks'],
  task_output: ['subagent_output', 'get_subagent_output', 'agent_output', 'get_task_output', 'task_result'],
  task_message: ['subagent_message', 'message_subagent', 'steer_subagent', 'send_input', 'send_message'],
  task_cancel: [
    'cancel_subagent',
    'stop_subagent',
    'task_stop',
    'kill_task',
    'close_agent',
    'agentManager_cancelSubagent',
  ],
} as const

/** The tools by which agents look up other tools, and other names of each. */
export const discoveryAliases = {
  get_tools: ['toolManager_getTools'],
  use_tool: ['toolManager_useTool'],
} as const

/** The agents that come with the program and are offered as tools. */
export const builtinAgentTools = ['code_search', 'planner', 'code_review'] as const

/** `own`: the tools of a program that uses the library. */
export const toolsets = ['files', 'shell', 'web', 'planning', 'people', 'agents', 'discovery', 'own'] as const

const tools: readonly string[] = [
  ...Object.keys(workingTools),
  'task',
  ...Object.keys(controlAliases),
  ...Object.keys(discoveryAliases),
  ...builtinAgentTools,
]

/** The names that a rule can have in every runtime, whatever it is configured with. */
export const ruleNames: readonly string[] = [...tools, ...toolsets, 'external_directory', '*']

/** Without what does not matter in a name: upper case, `_`, `-` and `.`. */
export function plainName(name: string): string {
  return name.trim().toLowerCase().replace(/[_.-]/g, '')
}

const inBackground = new Set(backgroundAliases.map(plainName))

/** Whether a call of `task` under this name starts in the background where nobody says otherwise. */
export function isBackgroundName(name: string): boolean {
  return inBackground.has(plainName(name))
}

const spellings = new Map<string, string>([
  ...tools.map((name) => [plainName(name), name] as const),
  ...aliasesOf(Object.entries(workingTools).map(([name, { aliases }]) => [name, aliases])),
  ...aliasesOf([
    ['task', taskAliases],
    ...Object.entries(controlAliases),
    ...Object.entries(discoveryAliases),
  ]),
])

function aliasesOf(names: readonly (readonly [string, readonly string[]])[]): (readonly [string, string])[] {
  return names.flatMap(([name, aliases]) => aliases.map((alias) => [plainName(alias), name] as const))
}

/** The tool that a name of a tool list means: `Read` is `read`. undefined: none of the program's own. */
export function toolSpelled(name: string): string | undefined {
  return spellings.get(plainName(name))
}

/**
 * The built-in tools: toolset, and the other names that models and agent files use. The only such list, for rules, tool
 * lists and the tools, so that a name means the same everywhere.
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

/** Names that start a background subagent by default, as in their own systems. */
const backgroundAliases = ['subagent', 'spawn_subagent'] as const

/** The tools that accompany `task`, with their other names. */
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

/** The tools for tool discovery, with their other names. */
export const discoveryAliases = {
  get_tools: ['toolManager_getTools'],
  use_tool: ['toolManager_useTool'],
} as const

/** Built-in agents that are offered as tools. */
export const builtinAgentTools = ['code_search', 'planner', 'code_review'] as const

/** `own`: tools that a program defines through the library. */
export const toolsets = ['files', 'shell', 'web', 'planning', 'people', 'agents', 'discovery', 'own'] as const

const tools: readonly string[] = [
  ...Object.keys(workingTools),
  'task',
  ...Object.keys(controlAliases),
  ...Object.keys(discoveryAliases),
  ...builtinAgentTools,
]

/** Names that rules can use in every runtime, whatever its configuration. */
export const ruleNames: readonly string[] = [
  ...tools,
  ...toolsets,
  'external_directory',
  'sandbox_network',
  'sandbox_write',
  '*',
]

/** Ignores upper case, `_`, `-` and `.`. */
export function plainName(name: string): string {
  return name.trim().toLowerCase().replace(/[_.-]/g, '')
}

const inBackground = new Set(backgroundAliases.map(plainName))

/** Whether a `task` call by this name starts in the background by default. */
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

/** The built-in tool that a name in a tool list means: `Read` is `read`. undefined: none. */
export function toolSpelled(name: string): string | undefined {
  return spellings.get(plainName(name))
}

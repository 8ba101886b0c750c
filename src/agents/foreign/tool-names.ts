import { nearestName } from '../../core/nearest-name.ts'
import { toolSpelled, workingTools } from '../../core/rules/tool-names.ts'

/** Tool names of other programs, without case, `_` and `-`, mapped to ours. */
export type ToolNames = Readonly<Record<string, readonly string[]>>

const SHARED: ToolNames = {
  read: ['read'],
  readfile: ['read'],
  readmanyfiles: ['read'],
  view: ['read'],
  write: ['write'],
  writefile: ['write'],
  createfile: ['write'],
  edit: ['edit'],
  multiedit: ['edit'],
  replace: ['edit'],
  strreplace: ['edit'],
  ls: ['list'],
  list: ['list'],
  listdir: ['list'],
  listdirectory: ['list'],
  glob: ['glob'],
  grep: ['grep'],
  grepsearch: ['grep'],
  searchfilecontent: ['grep'],
  codebasesearch: ['grep', 'glob'],
  bash: ['bash'],
  shell: ['bash'],
  powershell: ['bash'],
  runshellcommand: ['bash'],
  webfetch: ['webfetch'],
  websearch: ['websearch'],
  googlewebsearch: ['websearch'],
  todo: ['todo'],
  todos: ['todo'],
  todoread: ['todo'],
  todowrite: ['todo'],
  writetodos: ['todo'],
  task: ['task'],
  agent: ['task'],
  askuser: ['ask_user'],
  askuserquestion: ['ask_user'],
}

/** Of Claude Code, Gemini CLI and Cursor, which all accept each other's names. */
export const commonTools: ToolNames = SHARED

/** One foreign name for several of our tools. */
export const copilotTools: ToolNames = {
  ...SHARED,
  edit: ['edit', 'write'],
  editfiles: ['edit', 'write'],
  search: ['grep', 'glob', 'list'],
  codebase: ['grep', 'glob'],
  usages: ['grep'],
  textsearch: ['grep'],
  filesearch: ['glob'],
  findtestfiles: ['glob'],
  create: ['write'],
  fetch: ['webfetch'],
  web: ['webfetch', 'websearch'],
  execute: ['bash'],
  runcommands: ['bash'],
  runinterminal: ['bash'],
  terminal: ['bash'],
  customagent: ['task'],
  runsubagent: ['task'],
  askquestions: ['ask_user'],
}

/** opencode has one permission for all tools that change files. */
export const opencodeTools: ToolNames = {
  ...SHARED,
  edit: ['edit', 'write'],
  write: ['edit', 'write'],
  patch: ['edit', 'write'],
  applypatch: ['edit', 'write'],
  multiedit: ['edit', 'write'],
  question: ['ask_user'],
  subagent: ['task'],
}

/** The tool that a misspelled name means. Short names have too many neighbours. */
export function nearTool(name: string): string | undefined {
  const known = Object.keys(SHARED).filter(({ length }) => length >= 4)
  const near = nearestName(plain(name), known, ({ length }) => (length < 8 ? 1 : 2))
  return near === undefined ? undefined : SHARED[near]![0]
}

/** `search/codebase` is a tool of a set; before any other slash stands an MCP server. */
const SETS = new Set(['read', 'edit', 'search', 'execute', 'web', 'agent', 'todo', 'vscode', 'runcommands'])

/** Our tools for a foreign name; empty if there are none. */
export function toolsNamed(name: string, names: ToolNames): readonly string[] {
  const [set, tool, ...rest] = name.split('/')
  const inSet = tool !== undefined && rest.length === 0 && SETS.has(plain(set!))
  const key = plain(inSet ? tool : name)
  return (Object.hasOwn(names, key) && names[key]) || ownNames(key)
}

/** A working tool has the same names in these files as in our own lists. */
function ownNames(name: string): readonly string[] {
  const own = toolSpelled(name)
  return own !== undefined && Object.hasOwn(workingTools, own) ? [own] : []
}

function plain(name: string): string {
  return name.trim().toLowerCase().replace(/[_-]/g, '')
}

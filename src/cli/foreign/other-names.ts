import { OffshootError } from '../../core/errors.ts'
import { LATER_NAMES } from '../help.ts'

const COST =
  'offshoot ps --all and offshoot show ID print the cost of runs; docs/budgets.md describes budgets'
const BUDGET =
  'offshoot run --budget-usd 2 "PROMPT" caps a conversation, offshoot show ID prints its cost; docs/budgets.md describes budgets'
const CHANGES =
  'offshoot ps --all lists runs, offshoot show RUN prints the files that one changed and the commands that it ran'
const KEYS =
  'Offshoot has no account: set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY; offshoot doctor checks the keys, docs/models.md lists providers'
const NO_LOGIN =
  'Offshoot has no account: remove the key from the environment; offshoot sessions revoke --all signs browsers out of the page'
const STOP =
  'offshoot pause ID stops a run so that offshoot continue ID can resume it; offshoot cancel ID ends it'
const END = 'offshoot cancel ID ends a run, offshoot close CONVERSATION all runs of a conversation'
const DELETE = 'offshoot rm CONVERSATION deletes a conversation, offshoot gc old ones'
const FOLLOW =
  'offshoot log -f ID follows a run, offshoot serve --open shows all of them in the browser; offshoot continue ID resumes a stopped one'
const LIST = 'offshoot ls lists conversations, offshoot log ID prints one'
const SEARCH =
  'offshoot ls --search TEXT finds conversations, offshoot ps --all --search TEXT runs; to ask about the directory: offshoot "PROMPT"'
const UPDATE = 'update with npm (npm install offshoot@latest), or with git pull in a clone'
const ASK = 'offshoot "PROMPT" starts a conversation, offshoot -c "PROMPT" continues the latest one'
const STATUS = 'offshoot ps lists active and paused runs, offshoot show ID one conversation'
const OPEN = 'offshoot serve --open opens the page in the browser'

const SET_UP =
  'nothing has to be set up: offshoot "PROMPT" asks about the directory, offshoot doctor checks the installation'

/** What people type who know other programs, and what they look for. */
export const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    cost: COST,
    usage: COST,
    stats: COST,
    budget: BUDGET,
    budgets: BUDGET,
    diff: CHANGES,
    changes: CHANGES,
    receipts: CHANGES,
    search: SEARCH,
    find: SEARCH,
    grep: SEARCH,
    stop: STOP,
    abort: END,
    kill: END,
    delete: DELETE,
    remove: DELETE,
    attach: FOLLOW,
    watch: FOLLOW,
    follow: FOLLOW,
    tail: FOLLOW,
    history: LIST,
    list: LIST,
    conversations: LIST,
    login: KEYS,
    auth: KEYS,
    logout: NO_LOGIN,
    update: UPDATE,
    upgrade: UPDATE,
    status: STATUS,
    runs: STATUS,
    chat: ASK,
    ask: ASK,
    new: ASK,
    init: SET_UP,
    setup: SET_UP,
    web: OPEN,
    ui: OPEN,
  }),
)

/**
 * Refuses a command of another program by naming what does the same here: the nearest spelling would mislead.
 * @throws OffshootError `usage`
 */
export function refuseOtherName(first: string, rest: readonly string[], commands: ReadonlySet<string>): void {
  const [topic] = rest
  const isTopic = first === 'help' && topic !== undefined && !topic.startsWith('-')
  const name = isTopic ? topic : first
  const isHelped = name === 'help' || commands.has(name) || LATER_NAMES.some((each) => each === name)
  const hint = OTHER_NAMES.get(name)
  if (isTopic ? isHelped : hint === undefined) return
  throw new OffshootError('usage', `unknown command ${JSON.stringify(name.slice(0, 64))}`, {
    hint: hint ?? 'offshoot --help lists the commands',
  })
}

/** Names of subcommands in other programs. */
const OTHER_SUBCOMMANDS: Readonly<Record<string, string>> = {
  list: 'ls',
  rm: 'revoke',
  remove: 'revoke',
  delete: 'revoke',
  get: 'show',
  view: 'show',
  open: 'link',
  new: 'link',
}

/** The subcommand that is meant, where the command has it. */
export function otherSubcommand(typed: string, known: readonly string[]): string | undefined {
  const meant = Object.hasOwn(OTHER_SUBCOMMANDS, typed) ? OTHER_SUBCOMMANDS[typed] : undefined
  return meant !== undefined && known.includes(meant) ? meant : undefined
}

const SETTINGS =
  'write settings in ~/.config/offshoot/config.jsonc (yours) or offshoot.jsonc (of a directory); docs/configuration.md lists them'
const RULES =
  'offshoot run --allow RULE allows calls in one run, permissions in the configuration for good; docs/permissions.md describes rules'
const FILES =
  'write a Markdown file in .offshoot/agents; docs/agent-files.md describes it, offshoot agents check reads it'

/** What is done without a subcommand. */
const NO_SUBCOMMANDS: ReadonlyMap<string, string> = new Map([
  ...['set', 'get', 'edit', 'unset'].map((name) => [`config ${name}`, SETTINGS] as const),
  ...['add', 'allow', 'deny', 'grant', 'set'].map((name) => [`permissions ${name}`, RULES] as const),
  ...['new', 'create', 'add', 'edit'].map((name) => [`agents ${name}`, FILES] as const),
])

/** How the same is done where no subcommand does it. */
export function insteadOfSubcommand(command: string, typed: string): string | undefined {
  return NO_SUBCOMMANDS.get(`${command} ${typed}`)
}

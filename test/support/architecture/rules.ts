/**
 * The rules of the source tree, as data. To change one is a decision: it takes a line in docs/decisions.
 */

/**
 * What a room may import besides itself, from the ground up: each imports only rooms before it, and there is no allowance
 * that the program does not use. `everything` is any room and src/index.ts.
 */
export const ROOMS: Readonly<Record<string, readonly string[] | 'everything'>> = {
  core: [],
  permissions: ['core'],
  agents: ['core'],
  store: ['core'],
  model: ['core'],
  exec: ['core'],
  tools: ['core', 'exec'],
  loop: ['core', 'model', 'tools'],
  config: ['core', 'permissions', 'agents', 'model', 'exec', 'tools'],
  trust: ['core', 'agents', 'store', 'model', 'config'],
  project: ['core', 'agents', 'model', 'exec', 'tools', 'config', 'trust'],
  person: ['permissions', 'exec', 'config'],
  runtime: [
    'core',
    'permissions',
    'agents',
    'store',
    'model',
    'exec',
    'tools',
    'loop',
    'config',
    'trust',
    'project',
  ],
  export: ['core', 'store', 'runtime'],
  library: [
    'core',
    'permissions',
    'agents',
    'store',
    'model',
    'exec',
    'tools',
    'config',
    'project',
    'runtime',
    'export',
  ],
  testing: ['core', 'store', 'model', 'exec', 'library'],
  protocol: ['core'],
  server: ['core', 'config', 'trust', 'project', 'person', 'runtime', 'export', 'library', 'protocol'],
  client: ['core', 'protocol'],
  cli: 'everything',
}

/** What the tests of a room may import besides. */
export const ROOMS_OF_TESTS: Readonly<Record<string, readonly string[]>> = {
  trust: ['permissions'],
  project: ['permissions'],
}

/**
 * The rooms inside of a folder, from the ground up: each imports only rooms before it. Of every other folder the test
 * finds such an order itself.
 */
export const ORDERS: Readonly<Record<string, readonly string[]>> = {
  'src/runtime': [
    'log',
    'ownership',
    'budget',
    'run',
    'asking',
    'task',
    'context',
    'authority',
    'journal',
    'delegation',
    'conversation',
    'recovery',
    'views',
    'control',
    'host',
  ],
  'src/cli': ['stream-json', 'terminal', 'remote', 'completion', 'doctor', 'foreign', 'commands'],
  'web/src': [
    'ui',
    'session',
    'state',
    'markdown',
    'timeline',
    'settings',
    'steps',
    'agents',
    'branches',
    'chat',
    'trust',
    'palette',
    'app',
  ],
}

/** `from -> to` where only types may be imported. */
export const TYPES_ONLY: ReadonlySet<string> = new Set(['client -> core'])

/** The only files beside the rooms; they may import every room. */
export const ROOT_FILES: ReadonlySet<string> = new Set(['src/index.ts', 'src/testing.ts'])

/** The only files that may hand on what another file exports. */
export const ENTRIES: ReadonlySet<string> = new Set([
  'src/index.ts',
  'src/testing.ts',
  'src/client/index.ts',
  'src/protocol/index.ts',
])

export const INDEX_MAX_LINES = 40

/** The rooms in which a package may stand. A package that is not here may stand nowhere in src. */
export const PACKAGES: Readonly<Record<string, readonly string[] | 'everywhere'>> = {
  zod: 'everywhere',
  '@ai-sdk/anthropic': ['model'],
  '@ai-sdk/google': ['model'],
  '@ai-sdk/openai': ['model'],
  '@ai-sdk/openai-compatible': ['model'],
  '@ai-sdk/provider': ['model'],
  '@ai-sdk/provider-utils': ['model'],
  '@vscode/ripgrep': ['tools'],
  ajv: ['agents'],
  commander: ['cli'],
  hono: ['server'],
  '@hono/node-server': ['server'],
  diff: ['tools'],
  entities: ['tools'],
  'eventsource-parser': ['model', 'client'],
  htmlparser2: ['tools'],
  'jsonc-parser': ['agents', 'config'],
  marked: ['cli'],
  minisearch: ['model'],
  'string-width': ['cli'],
  turndown: ['tools'],
  'smol-toml': ['agents'],
  unbash: ['permissions'],
  yaml: ['agents'],
}

/** These may stand in tests beside their source. */
export const TEST_PACKAGES: ReadonlySet<string> = new Set([
  'vitest',
  'fast-check',
  '@copilotkit/aimock',
  'ai',
])

/** Parts of Node that belong to one room. */
export const NODE_MODULES: Readonly<Record<string, readonly string[]>> = {
  'node:child_process': ['exec'],
  'node:sqlite': ['store'],
}

/** Rooms that may make a `require`: it loads a package in the middle of a function, which has to go on at once. */
export const REQUIRE_ROOMS: ReadonlySet<string> = new Set(['agents', 'cli'])

/** Rooms without I/O, and the parts of Node that they may use all the same. */
export const PURE_ROOMS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  permissions: ['node:path/posix'],
  protocol: [],
  client: [],
}

/** Beyond four, a function takes an object. */
export const MAX_PARAMETERS = 4

export const MAX_FUNCTION_LINES = 70

export const MAX_FILE_LINES = 400

/** What is over a limit still: a file, or a file and a function. One that keeps the limits by now has to leave the list. */
export const OVER_LIMITS: readonly string[] = []

/** Types that hold everything: a function names the members of them that it uses. */
export const BAGS: ReadonlyMap<string, readonly string[]> = new Map([
  ['src/runtime/context/deps.ts', ['Deps']],
  ['src/runtime/context/scope.ts', ['Scope', 'RunTree']],
])

/** Members that are bags themselves: to name them says nothing. */
export const UNNAMED_MEMBERS: ReadonlySet<string> = new Set(['Scope.deps', 'Scope.tree'])

/**
 * The only files that may take all of a bag, and how often each does: what composes a runtime, and what drives runs and
 * hands the rest its ports.
 */
export const BAG_TAKERS: ReadonlyMap<string, number> = new Map([
  ['src/runtime/context/scope.ts', 3],
  ['src/runtime/conversation/live-conversation.ts', 2],
  ['src/runtime/conversation/drive-run.ts', 3],
  ['src/runtime/recovery/revive.ts', 1],
  ['src/runtime/host/runtime.ts', 3],
])

/** Ports in one `Pick`. More of them are put together from what the functions behind ask for: `EndRunPorts & ReportPorts`. */
export const MAX_PORTS = 8

/**
 * Names that several files export for declarations of their own, with the reason. One that is no twin any more has to
 * leave the list. A new one is renamed instead, where it is not the same thing.
 */
export const TWINS: ReadonlyMap<string, string> = new Map([
  ['Env', 'the variables of the environment; model may not import config'],
  ['Store', 'the port, and the store of a composed program, which is one'],
  ['TrustRequest', 'the request of the program, and as the library shows it'],
  ['ContinueOptions', 'the options of the library, and what becomes of them in the runtime'],
  ['costWords', 'the same words; an export may not import the client'],
  ['durationWords', 'the same words, in an export with tenths; it may not import the client'],
  ['TimelineTab', 'the component, and the same loaded later'],
  ['SettingsPage', 'the component, and the same loaded later'],
  [
    'StreamingMessage',
    'the message that is being streamed: as the journal writes it, and as a reader sees it',
  ],
  ['transcriptLines', 'what was said, line by line: for a model, and for a terminal'],
  ['runRows', 'of the store, and of the terminal'],
  ['perform', 'a verb: a route does it, and the runtime does it'],
  ['dollars', 'an amount as text, and the schema of one'],
  ['stateOf', 'of a snapshot in the client, of a row in the core'],
  ['BranchNode', 'of the tree of the page, and of the terminal'],
  ['Toast', 'a notice on the page, and what the client gives notice of'],
  [
    'Answered',
    'what was answered to a question, in the runtime and in the client; and what the server has answered to the settings',
  ],
  ['StoredAnswer', 'what is stored of an answer: of a command to the owner, and of a model'],
])

import { OffshootError } from '../core/errors.ts'

/** Commands that runtime hints mention, and the library call that does the same. */
const CALLS: readonly (readonly [RegExp, string])[] = [
  [/offshoot ls lists (the conversations|them)/, 'conversations.list() lists $1'],
  [
    /offshoot show ID --ids prints the messages of a conversation with their ids/,
    'branches.messages(id) lists the messages of a branch',
  ],
  [/offshoot show ID the branches of one/, 'conversations.get(id) the branches of one'],
  [
    /offshoot show (\S+) lists its branches, offshoot ps its runs/,
    "conversations.get('$1') lists its branches, runs.list() its runs",
  ],
  [
    /offshoot ps shows which runs wait for an answer/,
    'approvals.list() and questions.list() return what waits for an answer',
  ],
  [/offshoot ps --all shows/, 'runs.list({ all: true }) shows'],
  [/offshoot ps shows/g, 'runs.list() shows'],
  [/offshoot continue starts a run on a branch/, 'continue(branchId) starts a run on a branch'],
  [/offshoot continue (\S+) (?:"\.\.\."|TEXT)/, "continue('$1', text)"],
  [/offshoot continue (\S+)/, "continue('$1')"],
  [/offshoot steer (\S+) "\.\.\."/, "steer('$1', text)"],
  [/offshoot run starts it; offshoot agents lists the others/, 'send() of a chat starts it'],
  [
    /offshoot agents lists the agents defined here; run it in the directory that has its file/,
    'createOffshoot({ agents }) and chat({ agents }) define agents',
  ],
  [/offshoot fork MESSAGE TEXT/, 'fork(messageId, text)'],
  [/run it there: -C (.+)/, "createOffshoot({ directory: '$1' }) opens it"],
  [
    /set one with --model provider\/model; offshoot models lists them/,
    "set one with { model: 'provider/model' }",
  ],
  [/--(?:agent|max-turns|no-wake|set) \(([^)]+)\)/g, '$1'],
  [/--add-dir (\S+) on their command line/g, 'a rule for external_directory $1'],
  [/-m \(model\)/g, 'model'],
  [/continue with --sandbox auto runs/, "createOffshoot({ config: { sandbox: 'auto' } }) runs"],
  [/continue with --budget-usd gives/, 'continue(id, text, { budgetUsd }) gives'],
  [/choose another model with -m \(offline needs no key\)/, "name another model ('offline' needs no key)"],
  [/Name one: -m (\S+)\./, "Name one: { model: '$1' }."],
  [/ \(offshoot models\)/, ''],
]

/** Rewrites a hint so that it names library calls. Commands without a call stay. */
export function callHint(hint: string): string {
  return CALLS.reduce((text, [command, call]) => text.replace(command, call), hint)
}

/** Returns the same error with a hint that names library calls. */
export function asCallError(error: unknown): unknown {
  if (!(error instanceof OffshootError) || error.hint === undefined) return error
  const hint = callHint(error.hint)
  return hint === error.hint ? error : Object.assign(error, { hint })
}

/** Runs `work` and rewrites the hints of its errors. */
export function withCallHints<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asCallError(error)
  }
}

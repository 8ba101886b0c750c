import { OffshootError } from '../core/errors.ts'

/** What the hints of the runtime name on the command line, and what does the same in a program. */
const CALLS: readonly (readonly [RegExp, string])[] = [
  [/offshoot ls lists (the conversations|them)/, 'conversations.list() lists $1'],
  [
    /offshoot show ID --ids prints the messages of a conversation with their ids/,
    'branches.messages(id) has the messages of a branch',
  ],
  [/offshoot show ID the branches of one/, 'conversations.get(id) the branches of one'],
  [
    /offshoot show (\S+) lists its branches, offshoot ps its runs/,
    "conversations.get('$1') lists its branches, runs.list() its runs",
  ],
  [
    /offshoot ps shows which runs wait for an answer/,
    'approvals.list() and questions.list() have what waits for an answer',
  ],
  [/offshoot ps --all shows/, 'runs.list({ all: true }) shows'],
  [/offshoot ps shows/g, 'runs.list() shows'],
  [/offshoot continue starts a run on a branch/, 'continue(branchId) starts a run on a branch'],
  [/offshoot continue (\S+) (?:"\.\.\."|TEXT)/, "continue('$1', text)"],
  [/offshoot continue (\S+)/, "continue('$1')"],
  [/offshoot steer (\S+) "\.\.\."/, "steer('$1', text)"],
  [/offshoot run starts it; offshoot agents lists the others/, 'send() of a chat starts it'],
  [
    /offshoot agents lists those that are; it worked where its file lies/,
    'createOffshoot({ agents }) and chat({ agents }) define agents',
  ],
  [/offshoot fork MESSAGE TEXT/, 'fork(messageId, text)'],
  [/run it there: -C (.+)/, "createOffshoot({ directory: '$1' }) opens it"],
  [/--model provider\/model does; offshoot models lists them/, "{ model: 'provider/model' } does"],
  [/--(?:agent|max-turns|no-wake|set) \(([^)]+)\)/g, '$1'],
  [/-m \(model\)/g, 'model'],
  [/continue with --budget-usd gives/, 'continue(id, text, { budgetUsd }) gives'],
  [/choose another model with -m \(offline needs no key\)/, "name another model ('offline' needs no key)"],
  [/Name one: -m (\S+)\./, "Name one: { model: '$1' }."],
  [/ \(offshoot models\)/, ''],
]

/** A hint as a program reads it, which makes calls. Commands that have no call in the library stay. */
export function callHint(hint: string): string {
  return CALLS.reduce((text, [command, call]) => text.replace(command, call), hint)
}

/** The same error, whose hint names calls. */
export function asCallError(error: unknown): unknown {
  if (!(error instanceof OffshootError) || error.hint === undefined) return error
  const hint = callHint(error.hint)
  return hint === error.hint ? error : Object.assign(error, { hint })
}

/** Has what a function throws name calls. */
export function withCallHints<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asCallError(error)
  }
}

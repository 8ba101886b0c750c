import { OffshootError } from '../../core/errors.ts'
import type { Mode } from '../../permissions/modes.ts'
import type { RunFlags } from '../run-flags.ts'
import { CODEX } from '../sandbox-option.ts'

interface ForeignFlags {
  readonly print?: true
  readonly permissionMode?: string
  readonly tools?: readonly string[]
  readonly maxBudgetUsd?: number
  readonly session?: string
  readonly fullAuto?: true
  readonly json?: true
  readonly format?: string
  readonly file?: readonly string[]
  readonly askForApproval?: string
  readonly outputLastMessage?: string
  readonly outputSchema?: string
  readonly skipGitRepoCheck?: true
  readonly systemPrompt?: string
  readonly mcpConfig?: readonly string[]
  readonly fallbackModel?: string
  readonly cd?: string
  readonly agents?: string
  readonly sessionId?: string
  readonly title?: string
  readonly attach?: string
  readonly yolo?: true
  readonly dangerouslySkipPermissions?: true
  readonly dangerouslyBypassApprovalsAndSandbox?: true
}

/**
 * Options of Claude Code, Codex and opencode as ours. What would promise something else than ours do is refused, with
 * the option to use; nothing allows more than what was written. @throws OffshootError `usage`
 */
export function inOurWords(flags: RunFlags & ForeignFlags): RunFlags {
  refuseBroken(flags)
  const { maxBudgetUsd, session, permissionMode } = flags
  const decided = permissionMode === undefined ? {} : decidedBy(permissionMode, flags)
  const budgetUsd = agreed('--max-budget-usd', maxBudgetUsd, '--budget-usd', flags.budgetUsd)
  const conversation = agreed('--session', session, '--conversation or --resume', flags.conversation)
  return {
    ...flags,
    ...decided,
    ...(budgetUsd === undefined ? {} : { budgetUsd }),
    ...(conversation === undefined ? {} : { conversation }),
  }
}

function agreed<T>(theirs: string, value: T | undefined, ours: string, own: T | undefined): T | undefined {
  if (value !== undefined && own !== undefined && value !== own)
    throw new OffshootError('usage', `${theirs} and ${ours} name the same setting, but differ`, {
      hint: 'leave one of them out',
    })
  return value ?? own
}

interface Decided {
  readonly mode: Mode
  readonly approvals?: 'deny'
}

/** The modes of Claude Code that allow no more here than there. */
const MODES: Readonly<Record<string, Decided>> = {
  default: { mode: 'ask' },
  manual: { mode: 'ask' },
  plan: { mode: 'plan' },
  acceptEdits: { mode: 'accept-edits' },
  dontAsk: { mode: 'ask', approvals: 'deny' },
}

/** Those that promise what there is not here. */
const NO_MODES: Readonly<Record<string, string>> = {
  auto: 'in Claude Code a classifier checks each action of the mode auto, and Offshoot has none',
  bypassPermissions: 'Offshoot has no mode that skips every check: secrets and its own settings always ask',
}

function decidedBy(name: string, { mode, approvals }: RunFlags): Decided {
  const found = Object.hasOwn(MODES, name) ? MODES[name]! : undefined
  if (!found) {
    const why = Object.hasOwn(NO_MODES, name) ? NO_MODES[name]! : `there is no such mode`
    throw new OffshootError('usage', `--permission-mode ${JSON.stringify(name.slice(0, 64))}: ${why}`, {
      hint: 'use --mode plan, ask, accept-edits, or auto, which allows everything in the directory without asking',
    })
  }
  agreed('--permission-mode', found.mode, '--mode', mode)
  agreed('--permission-mode dontAsk', found.approvals, '--approvals', approvals)
  return found
}

const TWO_THINGS =
  'it decides two things at once: in Offshoot, --sandbox confines commands, and --mode decides what asks'
const MODE_HINT = 'use --mode plan to change nothing, or --mode accept-edits to change files without asking'
const AUTO_HINT = 'use --mode auto, which allows everything in the directory without asking'
const EVENTS_HINT =
  'use --output-format events (one JSON object for each event) or json (one object at the end)'

type Answer = readonly [flag: string, why: string, hint: string]

/** What cannot be kept, and what to write instead. @throws OffshootError `usage` */
function refuseBroken(flags: ForeignFlags): void {
  const answers = [...ofClaudeCode(flags), ...ofCodexAndOpencode(flags)]
  const [flag, why, hint] = answers.find((answer) => Array.isArray(answer)) ?? []
  if (flag !== undefined) throw new OffshootError('usage', `${flag}: ${why}`, { hint: hint! })
}

type Answers = readonly (Answer | false | undefined)[]

function ofClaudeCode(flags: ForeignFlags): Answers {
  return [
    flags.dangerouslySkipPermissions && [
      '--dangerously-skip-permissions',
      NO_MODES['bypassPermissions']!,
      AUTO_HINT,
    ],
    flags.tools !== undefined && [
      '--tools',
      'an agent has the tools of its definition',
      'use --deny TOOL for each tool that this run must not use, or --agent NAME with an agent file that lists its tools',
    ],
    flags.systemPrompt !== undefined && [
      '--system-prompt',
      'the instructions of an agent are in its file',
      'use --append-system-prompt TEXT to add to them, or --agent NAME with an agent file of yours',
    ],
    flags.mcpConfig !== undefined && ['--mcp-config', 'MCP servers are not available yet', 'leave it out'],
    flags.fallbackModel !== undefined && [
      '--fallback-model',
      'Offshoot waits for a provider that is busy, and changes no model by itself',
      'leave it out; offshoot continue ID -m MODEL resumes a failed run with another model',
    ],
    flags.agents !== undefined && [
      '--agents',
      'agents are defined in files',
      'write the agent to .offshoot/agents/NAME.md, and use --agent NAME to talk with it',
    ],
    flags.sessionId !== undefined && [
      '--session-id',
      'Offshoot names its conversations itself',
      'read conversation_id from --output-format json, and continue with --resume ID',
    ],
  ]
}

function ofCodexAndOpencode(flags: ForeignFlags): Answers {
  const { session, format, json, file, askForApproval, outputLastMessage, outputSchema } = flags
  return [
    session !== undefined && CODEX.has(session) && [`-s ${session}`, TWO_THINGS, MODE_HINT],
    flags.fullAuto && ['--full-auto', TWO_THINGS, MODE_HINT],
    flags.yolo && ['--yolo', TWO_THINGS, AUTO_HINT],
    flags.dangerouslyBypassApprovalsAndSandbox && [
      '--dangerously-bypass-approvals-and-sandbox',
      TWO_THINGS,
      AUTO_HINT,
    ],
    askForApproval !== undefined && [
      '--ask-for-approval',
      'the mode and the rules decide what asks',
      'use --mode plan, ask, accept-edits or auto; --approvals deny never asks',
    ],
    json && ['--json', 'it prints the events of Codex, and Offshoot has other formats', EVENTS_HINT],
    format !== undefined && ['--format', 'its formats are those of opencode', EVENTS_HINT],
    file !== undefined && [
      '--file',
      'Offshoot does not attach files',
      `name it in the prompt, and the agent reads it; or hand its text over: offshoot run "..." < FILE`,
    ],
    outputLastMessage !== undefined && [
      '--output-last-message',
      'stdout holds the answer and nothing else',
      'write > FILE',
    ],
    outputSchema !== undefined && [
      '--output-schema',
      'Offshoot takes the schema as text',
      'use --json-schema "$(cat FILE)"',
    ],
    flags.cd !== undefined && ['--cd', 'the option has another name', 'use -C DIR or --directory DIR'],
    flags.title !== undefined && [
      '--title',
      'the title of a conversation is the beginning of its first message',
      'leave it out',
    ],
    flags.attach !== undefined && [
      '--attach',
      'all commands of a machine see the conversations of its server',
      'leave it out, or use --background to let the server run it',
    ],
    flags.skipGitRepoCheck && ['--skip-git-repo-check', 'no repository is needed', 'leave it out'],
  ]
}

import { isDecorated, type Decorated, type Mechanism } from '../support/faults.ts'

/** A place in a source: its text stands there once, and is replaced. */
export interface Edit {
  readonly file: string
  readonly anchor: string
  readonly replacement: string
}

type Mutated = Exclude<Mechanism, Decorated>

/** What takes a mechanism out of a copy of the sources, where no port shows it. */
const mutants: Readonly<Record<Mutated, readonly Edit[]>> = {
  'intent-rows': [
    {
      file: 'src/runtime/journal/journal.ts',
      anchor: '    const hadRow = batch.hasRow(part.callId)\n',
      replacement: "    if (tool.effects !== 'spawn') return\n    const hadRow = batch.hasRow(part.callId)\n",
    },
  ],
  'unknown-outcome': [
    {
      file: 'src/runtime/journal/open-calls.ts',
      anchor: '  if (begun.length > 0) writeEnds(change, deps, run, begun)\n',
      replacement: '',
    },
  ],
  waking: [
    {
      file: 'src/runtime/conversation/live-conversation.ts',
      anchor: '    if (!this.#idle(branchId)) return\n    const first =',
      replacement: '    if (branchId) return\n    const first =',
    },
  ],
  'stated-reason': [
    {
      file: 'src/core/report/report-envelope.ts',
      anchor: 'const lines = [error && `Error: ${error}`, note && `(${note})`, text].filter(',
      replacement: 'const lines = [text].filter(',
    },
  ],
  'authority-chain': [
    {
      file: 'src/runtime/authority/authority.ts',
      anchor: '  const own = new Set(deps.tools.forAgent(agent.tools, agent.disallowedTools).list())\n',
      replacement:
        '  const own = new Set(deps.tools.forAgent(agent.tools, agent.disallowedTools).list())\n' +
        '  above = { chain: above.chain.slice(0, 1), tools: deps.tools.list(), opened: above.opened }\n',
    },
  ],
  attribution: [
    {
      file: 'src/runtime/asking/approvals.ts',
      anchor: 'const path = agentPath(run)',
      replacement: 'const path = [run.row.agent]',
    },
  ],
  attendance: [
    {
      file: 'src/runtime/authority/permit.ts',
      anchor: 'if (asked || deps.approvals.attended(run.row.conversationId))',
      replacement: 'if (asked || deps.approvals)',
    },
  ],
  'answer-once': [
    {
      file: 'src/runtime/asking/approvals.ts',
      anchor: '      if (open.answer) throw alreadyAnswered(open)\n',
      replacement: '',
    },
  ],
  reservation: [
    {
      file: 'src/runtime/delegation/spawn-child.ts',
      anchor: 'const caps = budget.spawn(parent.row.id, { asked, defined: agent.maxCostUsd }, parent.row)',
      replacement: 'const caps = { maxCostUsd: null, maxTokens: null }',
    },
  ],
  'request-check': [
    {
      file: 'src/runtime/conversation/drive-run.ts',
      anchor: 'ask: (estimate) => (isUnbound ? NOTHING_HELD : budget.ask(run.row, estimate)),',
      replacement: 'ask: () => NOTHING_HELD,',
    },
  ],
  'whole-tree-stop': [
    {
      file: 'src/runtime/run/live-run.ts',
      anchor: "  return reason.verb === 'cancel' || !reason.keepsBackground || !child.row.background\n",
      replacement: '  return false\n',
    },
    {
      file: 'src/runtime/conversation/live-conversation.ts',
      anchor: 'isAbove(branchId, run.parent) && found.push(run)',
      replacement: 'isAbove(branchId, run.parent) && false',
    },
  ],
  'claim-check': [
    {
      file: 'src/runtime/conversation/drive-run.ts',
      anchor: 'await checkClaims(scope, run, finished)',
      replacement: 'finished',
    },
  ],
  'report-bound': [
    {
      file: 'src/runtime/journal/report-text.ts',
      anchor: '    maxBytes,\n',
      replacement: '    maxBytes: Infinity,\n',
    },
  ],
}

/** What makes the mutant without a mechanism; undefined: a decorator of a port takes it away. */
export function editsOf(name: Mechanism): readonly Edit[] | undefined {
  return isDecorated(name) ? undefined : mutants[name]
}

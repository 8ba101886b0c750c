import type { Rule } from '../../src/core/agent.ts'
import { decide } from '../../src/permissions/decide.ts'
import { modeLayer, type Mode } from '../../src/permissions/modes.ts'
import { directoryLookupOf } from '../../src/permissions/shell/directory-lookup.ts'
import { shellItems } from '../../src/permissions/shell/shell-items.ts'
import { surveyScript } from '../../src/permissions/shell/survey-script.ts'
import type { Survey } from '../../src/permissions/shell/survey-types.ts'
import type { Decision, PermissionCall } from '../../src/permissions/types.ts'
import { entryAt } from '../../src/tools/entry-at.ts'
import { filesBelow } from '../../src/tools/files-below.ts'
import { createWorkspace } from '../../src/tools/workspace.ts'
import type { Lane } from './lane.ts'

/** How commands are decided. */
export interface Setting {
  readonly name: string
  readonly mode: Mode
  /** Whether they are decided as for a sandbox. */
  readonly confined: boolean
  readonly rules: readonly Rule[]
}

const rule = (action: Rule['action'], tool: string, pattern: string): Rule => ({ tool, pattern, action })

/** They restrict what the mode allows. */
const RESTRICTING: readonly Rule[] = [
  rule('deny', 'bash', 'rm *'),
  rule('deny', 'bash', 'curl *'),
  rule('ask', 'bash', 'git commit*'),
  rule('ask', 'bash', 'touch *'),
  rule('deny', 'read', 'src/private/**'),
  rule('deny', 'write', 'docs/**'),
  rule('ask', 'edit', 'notes.txt'),
]
const READERS =
  'cat head tail wc sort grep sed awk ls stat md5sum cut diff cmp od base64 du test [ realpath nl tac uniq fold comm find xargs echo printf true cd git env tar sh bash'
/** They allow what the mode would ask about. */
const ALLOWING: readonly Rule[] = [
  ...READERS.split(' ').map((name) => rule('allow', 'bash', `${name} *`)),
  rule('allow', 'write', 'src/**'),
  rule('deny', 'read', 'src/private/**'),
  rule('deny', 'bash', 'git commit*'),
]

export const SETTINGS: readonly Setting[] = [
  { name: 'auto', mode: 'auto', confined: false, rules: [] },
  { name: 'auto, in a sandbox', mode: 'auto', confined: true, rules: [] },
  { name: 'auto with rules', mode: 'auto', confined: false, rules: RESTRICTING },
  { name: 'auto with rules, in a sandbox', mode: 'auto', confined: true, rules: RESTRICTING },
  { name: 'ask with rules', mode: 'ask', confined: false, rules: ALLOWING },
  { name: 'ask with rules, in a sandbox', mode: 'ask', confined: true, rules: ALLOWING },
]

export interface Decided {
  readonly decision: Decision
  readonly survey: Pick<Survey, 'commands' | 'files'>
}

/** As a run decides a call of the shell tool. */
export function decideCommand(lane: Lane, { mode, confined, rules }: Setting, command: string): Decided {
  const workspace = createWorkspace(lane.root, { home: lane.home })
  const call: PermissionCall = {
    tool: 'bash',
    toolset: 'shell',
    effects: 'execute',
    subjects: [{ kind: 'command', command }],
    resolvePath: (path) => workspace.resolve(path),
    filesBelow: (path, levels) => filesBelow(workspace, path, { levels }),
    entryAt,
    ...(confined && { confinedTo: lane.cells.shown() }),
  }
  const layers = [{ name: 'rules', rules }, modeLayer(mode)]
  const decision = decide(call, [{ name: 'root', layers }], [], shellItems)
  const survey = surveyScript(command, lane.root, true, directoryLookupOf(call))
  return { decision, survey }
}

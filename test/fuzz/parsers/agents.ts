import { isDeepStrictEqual } from 'node:util'
import type { AgentFormat, ParsedPart } from '../../../src/agents/agent-format.ts'
import { exportAgent } from '../../../src/agents/foreign/export-agent.ts'
import { FOREIGN_FORMATS } from '../../../src/agents/agent-format.ts'
import { formatOf } from '../../../src/agents/foreign/formats.ts'
import { ownFormat } from '../../../src/agents/offshoot-format.ts'
import { writeOwn } from '../../../src/agents/write-agent.ts'
import type { AgentDefinition } from '../../../src/core/agent.ts'
import { rowsOf, textsOf } from '../corpus.ts'
import { mutatedText } from '../mutate.ts'
import { checkNote } from '../properties.ts'
import { hold, type Target } from '../target.ts'

/** How each kind of file is called where it is looked for. */
export const FILES = {
  offshoot: '/w/.offshoot/agents/file.md',
  claude: '/w/.claude/agents/file.md',
  opencode: '/w/.opencode/agent/file.md',
  'opencode-config': '/w/opencode.json',
  codex: '/w/.codex/agents/file.toml',
  gemini: '/w/.gemini/agents/file.md',
  cursor: '/w/.cursor/agents/file.md',
  copilot: '/w/.github/agents/file.agent.md',
} as const

type Kind = keyof typeof FILES
type Input = { readonly kind: Kind; readonly text: string }

const MAX_PARTS = 300
const MAX_WARNINGS = 100
const DICTIONARY =
  `tools: disallowedTools: permissions: permission: deny allow ask "*" * [read] Bash(git:*) Task(a,b) readonly: true
  mode: plan primary sandbox_mode read-only name: description: x: y: --- --- | > - ? & * ! % @ {} [] ~ null yes no
  !!binary !!set !!timestamp 2001-01-01 <<: &a *a [a,b] {a:b} """ ''' = [[a]] [a.b] inf nan 0o7 disable: extends:`.split(
    /\s+/,
  )

const malformed = rowsOf<{ readonly content?: string | null }>('src/agents/fixtures/malformed.jsonl').flatMap(
  ({ content }) => (content ? [content] : []),
)
const OWN = textsOf('agents')

/** Agent files of every program, as text. */
export const agents: Target<Input> = {
  name: 'agents',
  limitMs: 400,
  fixed: ['kind'],
  generate(random) {
    const kind = random.pick(Object.keys(FILES) as Kind[])
    const own = OWN.filter(({ label }) => label === kind).map(({ text }) => text)
    const isMarkdown = FILES[kind].endsWith('.md')
    const markdown = OWN.filter(({ text }) => text.startsWith('---')).map(({ text }) => text)
    const others = isMarkdown ? [random.pick(markdown), random.pick(malformed)] : []
    const corpus = [...own, ...own, ...own, ...others]
    return { kind, text: mutatedText(random, { corpus, dictionary: DICTIONARY }) }
  },
  run({ kind, text }) {
    const parts = formatOf(FILES[kind]).parse(text, FILES[kind])
    hold(parts.length > 0 || kind === 'opencode-config', 'says nothing of a file', () => text)
    hold(parts.length <= MAX_PARTS, 'has too many parts', () => `${parts.length}`)
    for (const part of parts) checkPart(part)
  },
}

function checkPart(part: ParsedPart): void {
  hold(part.warnings.length <= MAX_WARNINGS, 'has too many warnings', () => `${part.warnings.length}`)
  part.warnings.forEach((warning) => checkNote(warning, 'a warning'))
  if ('skipped' in part) return checkNote(part.skipped, 'a reason')
  const { agent } = part
  hold(agent.name.trim() !== '' && agent.description.trim() !== '', 'has no name', () =>
    JSON.stringify(agent),
  )
  writtenAgain(agent)
  for (const format of FOREIGN_FORMATS) exportAgent(agent, format)
}

/** What was read of any file can be written as one of ours, and says the same then. */
function writtenAgain(agent: AgentDefinition): void {
  const written = writeOwn(agent)
  if (typeof written === 'string') return checkNote(written, 'a reason')
  const again = only(ownFormat, written.text, agent.source)
  const shown = () => JSON.stringify([agent, again, written.text])
  if (written.lost.length > 0) return
  hold('agent' in again, 'cannot be read again', shown)
  if ('agent' in again)
    hold(isDeepStrictEqual(plain(again.agent), plain(agent)), 'is another when it is read again', shown)
}

/** Ends of lines are those of the file that is written. */
function plain(agent: AgentDefinition): AgentDefinition {
  return { ...agent, prompt: agent.prompt.replace(/\r\n|\r/g, '\n').trim() }
}

function only(format: AgentFormat, text: string, path: string): ParsedPart {
  const [part] = format.parse(text, path)
  return part!
}

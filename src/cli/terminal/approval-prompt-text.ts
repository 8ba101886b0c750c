import type { EventOf } from '../../core/events.ts'
import { commandSandboxWords, type CommandSandbox } from '../../core/command-sandbox.ts'
import { terminalLine, terminalText } from '../../core/terminal-text.ts'
import { changedFile, changingTools, patchLines, plainPatch } from '../../client/patch-lines.ts'
import { ruleText } from './rule-text.ts'

export type ApprovalEvent = EventOf<'approval.requested'>
export type QuestionEvent = EventOf<'question.asked'>

const MAX_CHARS = 4_000
const MAX_LINES = 30

type Place = Pick<ApprovalEvent, 'number' | 'position' | 'of'>
interface Shown
  extends Place, Pick<ApprovalEvent, 'path' | 'tool' | 'title' | 'detail' | 'directory' | 'rule'> {
  readonly sandbox?: CommandSandbox | null | undefined
}

/** A question as it stands on the terminal: who wants what, in which directory, and why it is asked. */
export function approvalText({
  path,
  tool,
  title,
  detail,
  directory,
  rule,
  sandbox,
  ...place
}: Shown): string {
  const reach = commandSandboxWords(sandbox)
  const lines = [
    `⚑ ${promptLine(path.join(' > '))} needs you (${placeWords(place)}): ${promptLine(title)}`,
    ...shortened(plainDetail({ tool, title, detail }))
      .split('\n')
      .map((each) => `    ${each}`),
    `  in ${promptLine(directory)}`,
    ...(reach === null ? [] : [`  ${promptLine(reach)}`]),
    `  because: ${promptLine(rule)}`,
  ]
  return `${lines.join('\n')}\n`
}

/** A change with the line numbers of its file, and the name of that where the title has no room for it. */
function plainDetail({ tool, title, detail }: Pick<Shown, 'tool' | 'title' | 'detail'>): string {
  const lines = changingTools.has(tool) ? patchLines(detail) : undefined
  if (!lines) return detail
  const name = changedFile(detail)
  return [...(title.endsWith(name) ? [] : [name]), ...plainPatch(lines)].join('\n')
}

/** Its number, which stays, and its place in the line, which does not. */
function placeWords({ number, position, of }: Place): string {
  return `${number === undefined ? '' : `#${number}, `}${position} of ${of}`
}

/** The words that answer an approval: nothing lasts where nothing can be granted. */
export function answerWords(grant: ApprovalEvent['grant'] | undefined): string {
  return grant ? 'once|run|always|deny' : 'once|deny'
}

/** What an answer that lasts allows, or why none is offered. */
export function grantText(grant: ApprovalEvent['grant'] | undefined): string {
  if (!grant) return `  ${ONLY_ONCE}\n`
  return `  "run" and "always" allow: ${promptLine(ruleText(grant))}\n`
}

const ONLY_ONCE =
  'only once: no pattern covers this call safely (several commands, a redirection, a shell, a guarded file)'

/** The keys that answer on the terminal; where nothing can be granted, why two of them are missing. */
export function choicesText(grant: ApprovalEvent['grant'] | undefined): string {
  const lasting = grant ? `  [2] this run  [3] always \`${promptLine(grant.pattern ?? grant.tool)}\`` : ''
  return `${grant ? '' : grantText(grant)}  [1] once${lasting}  [n] deny  [e] deny with a note: `
}

/** What a key that is no answer was. */
export function refusedKeyText(key: string, grant: ApprovalEvent['grant'] | undefined): string {
  const isLasting = !grant && (key === '2' || key === '3')
  return `  ${promptLine(key)} is ${isLasting ? 'not offered here' : 'not an answer'}\n`
}

type AskedShown = Place & Pick<QuestionEvent, 'path' | 'question' | 'options'>

/** What an agent asks in words, as it stands on the terminal, with a number before each option. */
export function questionText({ path, question, options, ...place }: AskedShown): string {
  const lines = [
    `⚑ ${promptLine(path.join(' > '))} asks you (${placeWords(place)}):`,
    ...shortened(question)
      .split('\n')
      .map((each) => `    ${each}`),
    ...options.map((option, at) => `  [${at + 1}] ${promptLine(option)}`),
  ]
  return `${lines.join('\n')}\n`
}

/** Something of a model on one line of a question: nothing in it is unseen, and of a long one it says so. */
export function promptLine(text: string): string {
  return middleCut([...visible(terminalLine(text))], 400, (left) => `[… ${left} characters …]`).join('')
}

/** Whoever answers has to know that there is more than is shown. */
function shortened(detail: string): string {
  const text = visible(terminalText(detail))
  const cut = middleCut([...text], MAX_CHARS, (left) => `\n[… ${left} characters are not shown …]\n`).join('')
  return middleCut(cut.split('\n'), MAX_LINES, (left) => `[… ${left} lines are not shown …]`).join('\n')
}

function middleCut(items: readonly string[], most: number, note: (left: number) => string): string[] {
  if (items.length <= most) return [...items]
  const head = Math.floor(most * 0.7)
  const tail = Math.floor(most * 0.3)
  return [...items.slice(0, head), note(items.length - head - tail), ...items.slice(-tail)]
}

/** What has no width, and marks piled on one cell, can make a command look like another one. */
function visible(text: string): string {
  return text.replace(UNSEEN, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`)
}

const UNSEEN = /\p{Default_Ignorable_Code_Point}|(?<=\p{M}\p{M})\p{M}/gu

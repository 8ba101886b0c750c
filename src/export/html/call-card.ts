import { commandSandboxWords } from '../../core/command-sandbox.ts'
import { answererWords } from '../../core/report/answerer-words.ts'
import type { FileData, ToolCallPart, ToolResultPart } from '../../core/message.ts'
import type { ExportedApproval, ExportedCall, ExportedQuestion } from '../document.ts'
import { answerForPeople, outputForPeople } from '../../core/report/report-words.ts'
import { callEnd, resultEnd, type CallEnd } from '../../core/report/call-end.ts'
import { markup, nothing, type Markup } from './markup.ts'
import type { BranchPage, Index } from './branch-pages.ts'
import { lookMark, stateFacts } from './state-markup.ts'
import { callLook, kindWord, type Look } from './status-labels.ts'
import { durationWords, sizeWords } from './format-figures.ts'

/** A tool call as a card: one line that opens to input and output. */
export function callCard(part: ToolCallPart, index: Index): Markup {
  const call = index.calls.get(part.callId)
  const result = index.results.get(part.callId)
  const started = index.startedBy.get(part.callId)
  const end = endOf(call, result, index)
  const look = callLook(end)
  return markup`<div class="card ${look.tone}">
    ${started && subagentLine(started)}
    <details>
      <summary>${summary(call?.title ?? part.tool, look, call)}</summary>
      ${part.via && markup`<p class="about">Called through use_tool${part.via.toolset && markup`, toolset ${part.via.toolset}`}.</p>`}
      ${call?.approvals?.map(approvalLine)}${call?.questions?.map(questionLines)}
      <p class="label">Input of <code>${part.tool}</code></p>
      ${inputOf(part)}${result && outputOf(result)}
    </details>
    ${trouble(end, call, result)}
  </div>`
}

/** A result whose call is elsewhere. */
export function resultCard(part: ToolResultPart, index: Index): Markup {
  const call = index.calls.get(part.callId)
  const end = endOf(call, part, index)
  const look = callLook(end)
  return markup`<div class="card ${look.tone}">
    <details>
      <summary>${summary(call?.title ?? part.tool, look, call)}</summary>
      ${outputOf(part)}
    </details>
    ${trouble(end, call, part)}
  </div>`
}

/** The result decides; without one, the journal. */
function endOf(
  call: ExportedCall | undefined,
  result: ToolResultPart | undefined,
  { callFacts }: Index,
): CallEnd | undefined {
  if (result) return resultEnd(result, callFacts.get(result.callId))
  return call && callEnd({ ...call, ...callFacts.get(call.id) })
}

/** Safe image types are shown; for other files, only the name. */
export function fileView({ mediaType, data, filename }: FileData): Markup {
  const name = filename ?? 'a file without a name'
  const about = markup`${name} · ${mediaType} · ${sizeWords(Math.floor((data.length * 3) / 4))}`
  const isPicture = PICTURES.has(mediaType) && /^[A-Za-z0-9+/]+={0,2}$/.test(data)
  if (!isPicture) return markup`<p class="file">${about}</p>`
  return markup`<figure>
    <img src="data:${mediaType};base64,${data}" alt="${name}" />
    <figcaption>${about}</figcaption>
  </figure>`
}

const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

function subagentLine(page: BranchPage): Markup {
  return markup`<p class="subagent ${page.hue}">
    <a href="#${page.anchor}"><span aria-hidden="true">◆</span> ${page.name}</a>
    <span class="facts">${kindWord(page.type)} · <span class="agent">${page.agent}</span> · ${stateFacts(page)}</span>
  </p>`
}

/** Titles come from tools: a verb and its target. */
function summary(title: string, look: Look, call: ExportedCall | undefined): Markup {
  const space = title.indexOf(' ')
  const [verb, target] = space < 0 ? [title, ''] : [title.slice(0, space), title.slice(space + 1)]
  const took = call && call.endedAt !== null && durationWords(call.endedAt - call.startedAt)
  const exit = call?.exitCode ? `exit ${call.exitCode} ` : null
  const isPlain = look.tone === 'done'
  return markup`${lookMark(look)}<span class="title"><span class="verb">${verb}</span> ${target}</span>
    <span class="facts"><span class="${isPlain ? 'sr' : look.tone}">${look.word}</span> ${exit}${took}</span>`
}

function approvalLine({ answer, answeredBy, note, rule, detail, sandbox }: ExportedApproval): Markup {
  const reach = commandSandboxWords(sandbox)
  const by = answeredBy && markup` by ${answererWords(answeredBy)}`
  const answered = answer === null ? markup`Not answered` : markup`${ANSWERS[answer]}${by}`
  return markup`<p class="about">${answered}${note && markup`: “${note}”`}. Reason: ${rule}.${reach && markup` Asked as: ${reach}.`}</p>
    <pre class="io">${detail}</pre>`
}

const ANSWERS = { once: 'Allowed once', run: 'Allowed for the run', always: 'Always allowed', deny: 'Denied' }

function questionLines({ question, options, answer, answeredBy }: ExportedQuestion): Markup {
  const choices =
    options.length > 0 &&
    markup`<ul>
      ${options.map((option) => markup`<li>${option}</li>`)}
    </ul>`
  const by = answeredBy && markup` by ${answererWords(answeredBy)}`
  return markup`<div class="about">
    <p class="text" dir="auto">${question}</p>
    ${choices}
    <p class="text">${answer === null ? markup`No answer${by}.` : markup`Answered${by}: ${answer}`}</p>
  </div>`
}

/** Strings unchanged, so that line breaks show; everything else as JSON. */
function inputOf({ input, invalid, tool }: ToolCallPart): Markup {
  if (invalid !== undefined)
    return markup`<p class="about">Not valid JSON:</p>
      <pre class="io">${invalid}</pre>`
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return markup`<pre class="io">${json(input)}</pre>`
  const fields = Object.entries(input)
  if (fields.length === 0) return markup`<p class="about">None.</p>`
  return markup`<dl class="input">
    ${fields.map(
      ([key, value]) =>
        markup`<dt>${key}</dt>
          <dd>
            <pre class="io ${changeClass(tool, key)}">${typeof value === 'string' ? value : json(value)}</pre>
          </dd>`,
    )}
  </dl>`
}

function changeClass(tool: string, key: string): string {
  if (tool !== 'edit') return ''
  return key === 'old_string' ? 'removed' : key === 'new_string' ? 'added' : ''
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'nothing'
}

function outputOf({ tool, output }: ToolResultPart): Markup {
  const { files = [], artifactId } = output
  const { remarks, text } = answerForPeople(output)
  return markup`${remarks.map((line) => markup`<p class="about">${line}</p>`)}
    <p class="label">Output</p>
    <pre class="io" dir="auto">${CHANGING.has(tool) ? diffLines(text) : text || '(empty)'}</pre>
    ${artifactId && markup`<p class="about">Parts are left out. The JSON export has the full output, as ${artifactId}.</p>`}
    ${files.map(fileView)}`
}

/** Tools whose output contains a diff. */
const CHANGING: ReadonlySet<string> = new Set(['edit', 'write'])

function diffLines(text: string): Markup[] {
  return text.split('\n').map((line, i) => {
    const start = i === 0 ? '' : '\n'
    const change = /^(?:\+(?!\+\+ )|-(?!-- ))/.exec(line)?.[0]
    if (change === undefined) return markup`${start}${line}`
    return change === '+' ? markup`${start}<ins>${line}</ins>` : markup`${start}<del>${line}</del>`
  })
}

/** Never folded: errors, denials, unknown outcomes. Hidden if the open card shows it. */
function trouble(
  end: CallEnd | undefined,
  call: ExportedCall | undefined,
  result: ToolResultPart | undefined,
): Markup {
  if (end?.kind === 'unknown')
    return markup`<p class="trouble">
      It was running when its process exited. Its effect is unknown.
    </p>`
  if (end?.kind !== 'failed' && end?.kind !== 'denied') return nothing
  const output = result && outputForPeople(result.output)
  const said = call?.error?.message ?? output ?? ''
  const isShown = output?.includes(said) ?? false
  return markup`<p class="trouble${isShown && ' folds'}">${firstLine(said)}</p>`
}

const MAX_LINE = 300

function firstLine(text: string): string {
  const line = text.trimStart().split('\n', 1)[0]!
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE).toWellFormed()}…` : line
}

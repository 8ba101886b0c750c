import { unreachable } from '../../core/errors.ts'
import {
  authorOfMessage,
  SUMMARY_WORDS,
  type Part,
  type ReportPart,
  type TextPart,
} from '../../core/message.ts'
import { messageStateWords, speakerWords } from '../../core/report/speaker-words.ts'
import { partForPeople, reportDetails, reportRemarks, reportTitle } from '../../core/report/report-words.ts'
import type { ExportedMessage } from '../document.ts'
import { callCard, fileView, resultCard } from './call-card.ts'
import { markup, nothing, type Markup } from './markup.ts'
import { isPaired, type BranchPage, type Index, type ShownMessage } from './branch-pages.ts'
import { prose } from './message-markdown.ts'
import { stateFacts, time } from './state-markup.ts'
import { kindWord } from './status-labels.ts'

export function messageView(
  { anchor, number, message }: ShownMessage,
  page: BranchPage,
  index: Index,
): Markup {
  const { role, parts, state, created } = message
  const how = messageStateWords(state, index.isDriven)
  return markup`<article class="message ${lookOf(message)}" id="${anchor}">
    <header>
      <h3>${speaker(message, number, page)}</h3>
      ${page.type === 'subagent' && index.reports.has(message.id) && markup`<span class="chip">report</span>`}
      ${how !== null && markup`<span class="chip needs">${how}</span>`}
      <a class="number" href="#${anchor}"><span class="sr">message </span>${number}</a>
      ${time(created)}
    </header>
    ${parts.map((part) => partView(part, role, index))}
    ${index.startedAt.get(message.id)?.map((started) => startedHere(started, index))}
  </article>`
}

/** Text that no person wrote does not look like a person's. */
function lookOf({ role, runId, parts }: ExportedMessage): string {
  if (role !== 'user') return role
  return authorOfMessage({ parts, runId: runId ?? null }) === 'person' ? 'user' : 'told'
}

/** The author. */
function speaker(message: ExportedMessage, number: number, { type, agent }: BranchPage): string {
  const isTask = type === 'subagent' && number === 1
  return speakerWords({ ...message, runId: message.runId ?? null }, { agent, isTask })
}

function partView(part: Part, role: ExportedMessage['role'], index: Index): Markup {
  switch (part.type) {
    case 'text':
      return textView(part, role)
    case 'reasoning':
      return part.text.trim() === '' ? nothing : folded('Reasoning', plain(part.text))
    case 'tool-call':
      return callCard(part, index)
    case 'tool-result':
      return isPaired(index, part) ? nothing : resultCard(part, index)
    case 'file':
      return fileView(part.file)
    case 'report':
      return reportView(partForPeople(part) as ReportPart)
    case 'notice':
      return markup`<p class="notice" dir="auto">${part.text}</p>`
    default:
      return unreachable(part)
  }
}

function textView({ text, summaryOf }: TextPart, role: ExportedMessage['role']): Markup {
  if (text.trim() === '') return nothing
  if (summaryOf) return folded(capitalised(SUMMARY_WORDS), prose(text))
  return role === 'assistant' ? prose(text) : plain(text)
}

function reportView({ text, report }: ReportPart): Markup {
  const remarks = reportRemarks(report).map((line) => markup`<p class="about">${line}</p>`)
  return markup`<section class="card report">
    <p class="title">${reportTitle(report)} <span class="facts">${reportDetails(report)}</span></p>
    ${remarks}${text.trim() === '' ? nothing : prose(text)}
  </section>`
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function plain(text: string): Markup {
  return markup`<p class="text" dir="auto">${text}</p>`
}

function folded(title: string, content: Markup): Markup {
  return markup`<details class="fold">
    <summary>${title}</summary>
    ${content}
  </details>`
}

/** Forks, and subagents that no call shows. */
function startedHere(started: BranchPage, { startedBy, called }: Index): Markup {
  const call = started.originCallId
  if (call && called.has(call) && startedBy.get(call) === started) return nothing
  const mark = started.type === 'human' ? '↳' : '◆'
  return markup`<p class="starts ${started.hue}">
    <a href="#${started.anchor}"><span aria-hidden="true">${mark}</span> ${started.name}</a>
    <span class="facts">${kindWord(started.type)} · <span class="agent">${started.agent}</span> · ${stateFacts(started)}</span>
  </p>`
}

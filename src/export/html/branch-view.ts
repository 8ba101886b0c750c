import type { ExportedInboxItem, ExportedRule, ExportedRun } from '../document.ts'
import { sandboxWords } from '../../core/command-sandbox.ts'
import { connectionText } from '../../core/receipt-lines.ts'
import { receiptsOf, type Receipts } from '../../core/receipt.ts'
import { commandToContinue } from '../../core/status-line/paused-below.ts'
import { reportTitle } from '../../core/report/report-words.ts'
import { markup, nothing, type Markup } from './markup.ts'
import { messageView } from './message-view.ts'
import type { ShownRun } from '../status-words.ts'
import type { BranchPage, Index } from './branch-pages.ts'
import { lookMark, stateFacts } from './state-markup.ts'
import { kindWord, runLook } from './status-labels.ts'
import { costWords, counted, durationWords, tokenTotals } from './format-figures.ts'

/** A branch with all its messages. */
export function branchView(page: BranchPage, index: Index): Markup {
  const { anchor, heading: title, agent, hue, type, messages, runs, metadata } = page
  const heading = `${anchor}h`
  return markup`<section class="branch ${hue}" id="${anchor}" aria-labelledby="${heading}">
    <header class="head">
      <h2 id="${heading}">${title}</h2>
      <p class="facts">
        <span class="chip">${kindWord(type)}</span> <span class="agent">${agent}</span> ·
        ${stateFacts(page)}${runs.length > 0 && markup` · ${tokenTotals(runs)} tokens`}
      </p>
      ${page.depth > 0 && originLine(page)} ${runs.map((run, i) => stopLines(run, runs.length > 1 ? `Run ${i + 1}: ` : ''))}${leftLines(page, index)} ${runs.length > 0 && runsFold(runs)}
      ${planFold(metadata.todos?.items)} ${waitingFold(metadata.inbox)}
      ${restrictionsFold(metadata.restrictions)}
    </header>
    ${messages.length === 0 ? markup`<p class="notice">No messages.</p>` : messages.map((shown) => messageView(shown, page, index))}
  </section>`
}

function originLine({ origin, inheritContext }: BranchPage): Markup {
  const sees = inheritContext ? 'sees the earlier messages' : 'with a fresh context'
  if (!origin)
    return markup`<p class="origin">Started without a message, ${sees}. <a href="#top">Back to the top</a></p>`
  const { anchor, number, page } = origin
  const place = number > 0 ? `message ${number} of ` : 'the start of '
  return markup`<p class="origin">
    <a href="#${anchor}"><span aria-hidden="true">↩</span> Back to where it started</a>: ${place}${page.heading},
    ${sees}
  </p>`
}

/** Errors, and why there is no report: never folded. */
function stopLines({ error, reportNote, waitingFor }: ExportedRun, run: string): Markup {
  const waits =
    waitingFor &&
    markup`<p class="trouble needs">${run}Waiting for ${waitingFor.what}: ${waitingFor.detail}</p>`
  const failed =
    error && markup`<p class="trouble">${run}${error.message}${error.hint && markup` (${error.hint})`}</p>`
  return markup`${waits}${failed}${reportNote && markup`<p class="trouble needs">${run}${reportNote}</p>`}`
}

/** Subagents that must be continued by hand: never folded. */
function leftLines({ left }: BranchPage, { byId }: Index): Markup[] {
  return left.map(({ agent, description, reason, branchId }) => {
    const name = `${agent} (${description})`
    const page = byId.get(branchId)
    return markup`<p class="trouble needs">
      Subagent ${page ? markup`<a href="#${page.anchor}">${name}</a>` : name} is paused (${reason}):
      <code>${commandToContinue(branchId)}</code>
    </p>`
  })
}

function runsFold(runs: readonly ShownRun[]): Markup {
  const title = runs.length === 1 ? 'Activity of the run' : `Activity of its ${runs.length} runs`
  return markup`<details class="fold">
    <summary>${title}</summary>
    <ol class="runs">
      ${runs.map(runItem)}
    </ol>
  </details>`
}

function runItem(run: ShownRun): Markup {
  const { model, startedAt, queuedAt, endedAt, turns, limits, toolCalls, costUsd, output } = run
  const look = runLook(run)
  const took = endedAt !== null && markup` · ${durationWords(endedAt - (startedAt ?? queuedAt))}`
  const value =
    output !== undefined &&
    output !== null &&
    markup`<p class="label">Value of its report</p>
      <pre class="io">${JSON.stringify(output, null, 2)}</pre>`
  return markup`<li>
    <p>
      <span class="state ${look.tone}">${lookMark(look)}${look.word}</span> · ${model} ·
      ${turns}/${limits.maxTurns} turns · ${counted(toolCalls, 'tool call')}${took} · ${tokenTotals([run])}
      tokens · ${costWords(costUsd)}
    </p>
    ${receiptList(receiptsOf(run.calls))}${value}
  </li>`
}

/** Receipts of tools, recorded by the program, never by a model. */
function receiptList(receipts: Receipts): Markup {
  const { changed, read, commands, hosts, connections = [], denied, errors, unknown, more } = receipts
  const lines = [
    listLine('Changed', changed.map(changedFile), more.changed),
    listLine(
      'Read',
      read.map(({ path }) => path),
      more.read,
    ),
    listLine(
      'Ran',
      commands.map(
        ({ command, exitCode, sandbox, widened }) =>
          `${command} (${[exitCode === null ? 'ended from outside' : `exit ${exitCode}`, sandboxWords(sandbox, widened)].filter(Boolean).join(', ')})`,
      ),
      more.commands,
    ),
    listLine('Fetched from', hosts, more.hosts),
    listLine('Reached from the sandbox', connections.map(connectionText), more.connections),
    listLine(
      'Denied',
      denied.map(({ title, why }) => `${title} (${why})`),
      more.denied,
    ),
    listLine(
      'Failed',
      errors.map(({ title, why }) => `${title} (${why})`),
      more.errors,
    ),
    listLine(
      'Outcome unknown',
      unknown.map(({ title }) => title),
      more.unknown,
    ),
  ].filter((line) => line !== nothing)
  return lines.length === 0 ? nothing : markup`<dl class="receipts">${lines}</dl>`
}

function changedFile({ path, before, after, added, removed }: Receipts['changed'][number]): string {
  const how = before === null ? 'new' : after === null ? 'removed' : null
  const count = added === null || removed === null ? null : `+${added} −${removed}`
  const about = [how, count].filter((word) => word !== null).join(', ')
  return about ? `${path} (${about})` : path
}

function listLine(title: string, entries: readonly string[], more = 0): Markup {
  if (entries.length === 0) return nothing
  return markup`<dt>${title}</dt>
    ${entries.map((entry) => markup`<dd>${entry}</dd>`)}${more > 0 && markup`<dd>and ${more} more</dd>`}`
}

function planFold(items: readonly { readonly text: string; readonly status: string }[] = []): Markup {
  if (items.length === 0) return nothing
  const done = items.filter(({ status }) => status === 'completed').length
  return markup`<details class="fold">
    <summary>Plan, ${done} of ${items.length} done</summary>
    <ul>
      ${items.map(
        ({ text, status }) =>
          markup`<li>${text} <span class="facts">${status.replaceAll('_', ' ')}</span></li>`,
      )}
    </ul>
  </details>`
}

/** Unread items. */
function waitingFold(inbox: readonly ExportedInboxItem[] = []): Markup {
  const items = inbox.filter((item) => item.deliveredAt === null && item.withdrawnAt === null)
  if (items.length === 0) return nothing
  return markup`<details class="fold">
    <summary>Inbox: ${counted(items.length, 'item')} not read yet</summary>
    <ul>
      ${items.map(
        ({ kind, text, report }) =>
          markup`<li>
            <span class="facts">${report ? reportTitle(report) : kind === 'user' ? 'message' : kind}</span>
            <p class="text" dir="auto">${text}</p>
          </li>`,
      )}
    </ul>
  </details>`
}

function restrictionsFold(rules: readonly ExportedRule[] = []): Markup {
  if (rules.length === 0) return nothing
  return markup`<details class="fold">
    <summary>${counted(rules.length, 'restriction')}</summary>
    <ul>
      ${rules.map(({ tool, pattern, action }) => markup`<li><code>${tool} ${pattern}</code>: ${action}</li>`)}
    </ul>
  </details>`
}

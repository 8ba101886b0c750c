import { readFileSync } from 'node:fs'
import { addCost } from '../core/usage.ts'
import { terminalLine } from '../core/terminal-text.ts'
import type { ExportDocument } from './document.ts'
import { branchView } from './html/branch-view.ts'
import { markup, Markup } from './html/markup.ts'
import { indexOf, type BranchPage } from './html/branch-pages.ts'
import { time } from './html/state-markup.ts'
import type { WriteOptions } from './status-words.ts'
import { branchTreeMarkup } from './html/branch-tree.ts'
import { costWords, counted, numberWords, tokenTotals } from './html/format-figures.ts'

/**
 * A document as one page without server, network or scripts: the tree of its branches, and each branch with its
 * messages, except system messages. All content is text; the policy in its head forbids everything else. Equal
 * documents give equal pages.
 */
export function documentHtml(document: ExportDocument, options: WriteOptions = {}): string {
  const index = indexOf(document, options)
  const title = terminalLine(document.title) || 'Conversation'
  const page = markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${EXPORT_POLICY}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <meta name="generator" content="Offshoot" />
        <link rel="icon" href="data:," />
        <title>${title} — Offshoot</title>
        <style>
          ${style()}
        </style>
      </head>
      <body id="top">
        <a class="skip" href="#b0">Skip to the conversation</a>
        <header class="page">
          <h1 dir="auto">${title}</h1>
          <p class="facts">
            <span class="path">${document.directory}</span> · ${time(document.created)} to
            ${time(document.updated)}
          </p>
          ${totals(index.pages)}
        </header>
        <nav aria-labelledby="branches">
          <h2 id="branches">Branches</h2>
          ${branchTreeMarkup(index.pages)}
        </nav>
        <main>${index.pages.map((each) => branchView(each, index))}</main>
        <footer>
          <p>
            Conversation ${document.id}, exported by Offshoot. It shows the conversation up to that time;
            nothing in it runs.
          </p>
        </footer>
      </body>
    </html>
`
  return page.text
}

/** The same policy as an HTTP header. */
export const EXPORT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

function style(): Markup {
  return new Markup(readFileSync(new URL('html.css', import.meta.url), 'utf8'))
}

function totals(pages: readonly BranchPage[]): Markup {
  const runs = pages.flatMap((page) => page.runs)
  const sum = (of: 'turns' | 'toolCalls') => numberWords(runs.reduce((total, run) => total + run[of], 0))
  const subagents = pages.filter((page) => page.type === 'subagent').length
  const unknown = runs.flatMap((run) => run.calls).filter((call) => call.status === 'unknown').length
  const figures = [
    ['Branches', `${pages.length}${subagents > 0 ? ` (${counted(subagents, 'subagent')})` : ''}`],
    ['Turns', sum('turns')],
    ['Tool calls', sum('toolCalls')],
    ['Tokens', tokenTotals(runs)],
    ['Cost', costWords(runs.map((run) => run.costUsd).reduce(addCost, 0))],
    ...(unknown > 0 ? [['Outcomes unknown', numberWords(unknown)]] : []),
  ]
  return markup`<dl class="totals">
    ${figures.map(
      ([name, value]) =>
        markup`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
}

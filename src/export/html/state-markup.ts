import { turnsText } from '../../core/turn-figures.ts'
import { addCost } from '../../core/usage.ts'
import { markup, type Markup } from './markup.ts'
import type { BranchPage } from './branch-pages.ts'
import { runLook, type Look } from './status-labels.ts'
import { costWords, counted, timeWords } from './format-figures.ts'

/** Colour is never the only sign: the word is beside it, or available to screen readers. */
export function lookMark({ mark, tone }: Look): Markup {
  return markup`<span class="mark ${tone}" aria-hidden="true">${mark}</span> `
}

/** State of a branch: that of its last run, with turns, calls and cost of all its runs. */
export function stateFacts({ runs }: Pick<BranchPage, 'runs'>): Markup {
  const last = runs.at(-1)
  if (!last) return markup`not run`
  const look = runLook(last)
  const calls = runs.reduce((sum, run) => sum + run.toolCalls, 0)
  const cost = runs.map((run) => run.costUsd).reduce(addCost, 0)
  return markup`<span class="state ${look.tone}">${lookMark(look)}${look.word}</span> · ${turnsText(runs)} ·
    ${counted(calls, 'tool call')} · ${costWords(cost)}`
}

/** A time, with the full value in the attribute. Milliseconds since the epoch. */
export function time(ms: number): Markup {
  const { iso, short } = timeWords(ms)
  return markup`<time${iso && markup` datetime="${iso}"`}>${short}</time>`
}

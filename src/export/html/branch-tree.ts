import { markup, nothing, type Markup } from './markup.ts'
import type { BranchPage } from './branch-pages.ts'
import { stateFacts } from './state-markup.ts'
import { kindWord } from './status-labels.ts'

/** Nested lists; deeper branches are in the last one, with their level as text. */
const MAX_DEPTH = 6

/** All branches as a linked tree. */
export function branchTreeMarkup(pages: readonly BranchPage[]): Markup {
  const lines: Markup[] = []
  let depth = -1
  for (const page of pages) {
    const next = Math.min(page.depth, MAX_DEPTH, depth + 1)
    lines.push(next > depth ? markup`<ul>` : markup`</li>${times(depth - next, markup`</ul></li>`)}`)
    lines.push(markup`<li>${treeLine(page)}`)
    depth = next
  }
  return markup`${lines}${times(depth + 1, markup`</li></ul>`)}`
}

function times(count: number, what: Markup): Markup[] {
  return Array.from({ length: count }, () => what)
}

function treeLine(page: BranchPage): Markup {
  const { anchor, name, agent, hue, type, depth } = page
  const mark = type === 'main' ? '●' : type === 'human' ? '↳' : '◆'
  const level = depth > MAX_DEPTH ? markup`level ${depth} · ` : nothing
  return markup`<div class="line ${hue}">
    <a href="#${anchor}"><span class="agent" aria-hidden="true">${mark}</span> ${name}</a>
    <span class="facts">${level}${type !== 'main' && `${kindWord(type)} · `}<span class="agent">${agent}</span> · ${stateFacts(page)}</span>
  </div>`
}

import { breadcrumb, siblings, type BranchView } from 'offshoot/client'
import { goUp } from '../branches/go-up.ts'
import { toFirstMessage, toLastMessage } from '../chat/ends-of-transcript.ts'
import { foldAll } from '../state/folds.ts'
import { pathOf } from '../state/branch-lookup.ts'
import { useConversationView, useView } from '../state/conversation.tsx'
import { Keys } from './page-shortcuts.tsx'
import { openSheet, isNarrow, showPanel } from '../state/panels.ts'
import { writePref } from '../state/prefs.ts'
import { navigate } from '../state/route.ts'
import { useVerbs } from '../state/verbs.ts'
import { showError } from '../ui/toasts.tsx'

/** Shortcuts within a conversation. */
export function ConversationShortcuts({ branch }: { branch: BranchView }) {
  const view = useConversationView()
  const verbs = useVerbs()
  const branches = useView((state) => Object.values(state.branches))
  const state = () => view.state
  const go = (to: BranchView | undefined) => to && navigate(pathOf(to))
  const sibling = (step: number) => {
    const list = state() ? siblings(state()!, branch.id) : []
    go(list[list.findIndex(({ id }) => id === branch.id) + step])
  }
  const leftTab = (tab: 'conversations' | 'tree') => {
    writePref('leftTab', tab)
    writePref('leftOpen', true)
    if (isNarrow() && !matchMedia('(min-width: 720px)').matches) openSheet('left')
  }
  const actions = {
    interrupt: () => verbs.interrupt(branch.id),
    parent: () => {
      const parent = state() ? breadcrumb(state()!, branch.id).at(-2) : undefined
      if (parent) goUp(branch, parent)
    },
    'first-child': () =>
      go(Object.values(state()?.branches ?? {}).find(({ parentBranchId }) => parentBranchId === branch.id)),
    'previous-sibling': () => sibling(-1),
    'next-sibling': () => sibling(1),
    agents: () => showPanel('agents'),
    timeline: () => showPanel('timeline'),
    tree: () => leftTab('tree'),
    conversations: () => leftTab('conversations'),
    'fold-all': () => foldAll(false),
    'unfold-all': () => foldAll(true),
    'next-message': () => moveBetweenMessages(1),
    'previous-message': () => moveBetweenMessages(-1),
    'first-message': () => void toFirstMessage(view, branch.id).catch(showError),
    'last-message': toLastMessage,
    'edit-last': editLast,
    'needs-me': focusNextAsk,
  }
  return <Keys actions={actions} branches={branches} />
}

/** Goes to the next message of a person or an agent, from the start of the view. */
function moveBetweenMessages(step: 1 | -1): void {
  const box = document.querySelector<HTMLElement>('[data-transcript]')
  if (!box) return
  const top = box.getBoundingClientRect().top
  const articles = [...box.querySelectorAll<HTMLElement>('article')]
  const offset = (element: HTMLElement) => element.getBoundingClientRect().top - top
  const next =
    step > 0 ? articles.find((each) => offset(each) > 24) : articles.findLast((each) => offset(each) < -4)
  if (next) box.scrollBy({ top: offset(next) - 16 })
}

function editLast(): void {
  const edits = document.querySelectorAll<HTMLElement>('[data-user-message] [data-edit]')
  edits[edits.length - 1]?.click()
}

/** The card of an ask, or the line that announces it. */
function focusNextAsk(): void {
  const asks = [
    ...document.querySelectorAll<HTMLElement>('[data-approval], [data-question], [data-needs-bar] a'),
  ]
  const at = asks.indexOf(document.activeElement as HTMLElement)
  const next = asks[(at + 1) % asks.length]
  next?.scrollIntoView({ block: 'nearest' })
  next?.focus()
}

import { siblings, type BranchView } from 'offshoot/client'
import { useRef, type TouchEvent } from 'react'
import { useConversationView } from '../state/conversation.tsx'
import { navigate } from '../state/route.ts'
import { pathOf } from '../state/branch-lookup.ts'

/** Minimum horizontal and maximum vertical distance of a swipe. Pixels. */
const ACROSS = 80
const ASIDE = 40

/** A swipe goes to the sibling subagent, like the buttons above. Horizontally scrolling elements keep their swipes. */
export function useSwipe(branch: BranchView) {
  const view = useConversationView()
  const from = useRef<{ readonly x: number; readonly y: number }>(undefined)
  const onTouchStart = ({ touches, target }: TouchEvent) => {
    const finger = touches[0]
    const counts = finger && touches.length === 1 && !scrollsSideways(target)
    from.current = counts ? { x: finger.clientX, y: finger.clientY } : undefined
  }
  const onTouchEnd = ({ changedTouches }: TouchEvent) => {
    const finger = changedTouches[0]
    const start = from.current
    if (!start || !finger || !view.state || branch.kind !== 'subagent') return
    const across = finger.clientX - start.x
    if (Math.abs(across) < ACROSS || Math.abs(finger.clientY - start.y) > ASIDE) return
    const list = siblings(view.state, branch.id)
    const next = list[list.findIndex(({ id }) => id === branch.id) + (across < 0 ? 1 : -1)]
    if (next) navigate(pathOf(next))
  }
  return { onTouchStart, onTouchEnd }
}

function scrollsSideways(target: EventTarget): boolean {
  for (let up = target instanceof Element ? target : null; up; up = up.parentElement)
    if (up.scrollWidth > up.clientWidth && getComputedStyle(up).overflowX === 'auto') return true
  return false
}

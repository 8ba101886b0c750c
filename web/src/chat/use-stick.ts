import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'

/** Nearer to the end than this, a reader is taken along. Pixels. */
const NEAR = 100

/**
 * Keeps the end of a growing list in view, but never takes a reader along who has scrolled away from it: then it counts
 * what has come since. `scrollToTop` is set while only the items in view are drawn: what measures them must know where
 * the view is before the browser tells of it, or it takes the view back to keep what was in it in place.
 */
export function useStick(
  box: RefObject<HTMLDivElement | null>,
  items: readonly { readonly key: string }[],
  scrollToTop: RefObject<(() => void) | null>,
) {
  const sticks = useRef(true)
  const last = items.at(-1)?.key
  const [seen, setSeen] = useState(last)
  const toEnd = useCallback(() => {
    sticks.current = true
    box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [box])
  const toStart = useCallback(() => {
    sticks.current = false
    if (scrollToTop.current) scrollToTop.current()
    else box.current?.scrollTo({ top: 0 })
  }, [box, scrollToTop])
  const onScroll = useCallback(() => {
    const element = box.current
    if (!element) return
    sticks.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR
    if (sticks.current) setSeen(last)
  }, [box, last])
  useLayoutEffect(() => {
    if (!sticks.current) return
    toEnd()
    setSeen(last)
  }, [toEnd, last, items])
  useEffect(() => {
    // Cards that open, and code that gets its colours, make the list longer without a new item.
    const element = box.current?.firstElementChild
    if (!element) return undefined
    const observer = new ResizeObserver(() => sticks.current && toEnd())
    observer.observe(element)
    return () => observer.disconnect()
  }, [box, toEnd])
  return { onScroll, toStart, toEnd, missed: countAfter(items, seen), stick: sticks }
}

/** How many came after the one that was seen last; what is loaded before it does not count. */
export function countAfter(items: readonly { readonly key: string }[], seen: string | undefined): number {
  if (seen === undefined) return items.length
  const at = items.findLastIndex(({ key }) => key === seen)
  return at < 0 ? 0 : items.length - 1 - at
}

import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'

/** This close to the end, the view follows new content. Pixels. */
const NEAR = 100

/**
 * Keeps the end of a growing list in view unless the reader has scrolled away; then counts new items. A virtual list
 * sets `scrollToTop`, because it must know the new position before the browser reports it: otherwise its next
 * measurement scrolls back to keep the old position.
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
    // Opened cards and highlighted code change the height without a new item.
    const element = box.current?.firstElementChild
    if (!element) return undefined
    const observer = new ResizeObserver(() => sticks.current && toEnd())
    observer.observe(element)
    return () => observer.disconnect()
  }, [box, toEnd])
  return { onScroll, toStart, toEnd, missed: countAfter(items, seen), stick: sticks }
}

/** New items since the last seen one; earlier pages do not count. */
export function countAfter(items: readonly { readonly key: string }[], seen: string | undefined): number {
  if (seen === undefined) return items.length
  const at = items.findLastIndex(({ key }) => key === seen)
  return at < 0 ? 0 : items.length - 1 - at
}

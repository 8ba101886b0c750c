import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'

/** Nearer to the end than this, a reader is taken along. Pixels. */
const NEAR = 100

/**
 * Keeps the end of a growing list in view, but never takes a reader along who has scrolled away from it: then it counts
 * what has come since.
 */
export function useStick(box: RefObject<HTMLDivElement | null>, count: number, version: unknown) {
  const sticks = useRef(true)
  const [seen, setSeen] = useState(count)
  const toEnd = useCallback(() => {
    sticks.current = true
    box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [box])
  const onScroll = useCallback(() => {
    const element = box.current
    if (!element) return
    sticks.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR
    if (sticks.current) setSeen(count)
  }, [box, count])
  useLayoutEffect(() => {
    if (!sticks.current) return
    toEnd()
    setSeen(count)
  }, [toEnd, count, version])
  useEffect(() => {
    // Cards that open, and code that gets its colours, make the list longer without a new item.
    const element = box.current?.firstElementChild
    if (!element) return undefined
    const observer = new ResizeObserver(() => sticks.current && toEnd())
    observer.observe(element)
    return () => observer.disconnect()
  }, [box, toEnd])
  return { onScroll, toEnd, missed: Math.max(0, count - seen), stick: sticks }
}

import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useConversationView } from '../state/conversation.tsx'
import { Button } from '../ui/button.tsx'
import { showError } from '../ui/toasts.tsx'
import type { Item } from './transcript-items.ts'
import { hasActions, ItemView } from './message-view.tsx'
import { usePathItems, type PathItems } from './path-messages.ts'
import { useShownTranscript } from './shown-transcript.ts'
import { useStick } from './use-stick.ts'

/** Longer transcripts draw only the visible items. */
const ALL_UP_TO = 200
const GUESSED_HEIGHT = 80
/** This close to the top, the previous page is loaded. Pixels. */
const LOAD_WITHIN = 600

interface TranscriptProps {
  readonly branchId: string
  /** The message named in the address. */
  readonly messageId: string | null
}

/** The messages and calls of a branch. */
export function Transcript({ branchId, messageId }: TranscriptProps) {
  const path = usePathItems(branchId)
  const { items, loaded } = path
  const box = useRef<HTMLDivElement>(null)
  const scrollToTop = useRef<(() => void) | null>(null)
  const { onScroll, toStart, toEnd, missed, stick } = useStick(box, items, scrollToTop)
  useShownTranscript(useMemo(() => ({ toStart, toEnd }), [toStart, toEnd]))
  const loadOlder = useOlder(path, box)
  useJump(messageId, items, box, stick)
  useMessagesTop(box)
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={box}
        onScroll={() => {
          onScroll()
          if (loaded) loadOlder()
        }}
        className="scrolls h-full overflow-y-auto [overflow-anchor:none]"
        data-transcript=""
        tabIndex={0}
        role="log"
        aria-label="Messages"
        aria-live="off"
      >
        <div className="touch:pb-14 mx-auto w-full max-w-[49rem] px-4 pt-5 pb-10">
          <Items items={items} branchId={branchId} box={box} scrollToTop={scrollToTop} />
        </div>
      </div>
      {missed > 0 && (
        <Button
          look="plain"
          icon="arrow-down"
          onPress={toEnd}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full! shadow-float"
        >
          {`${missed} new`}
        </Button>
      )}
      {loaded && <Announcer items={items} />}
    </div>
  )
}

interface ItemsProps {
  readonly items: readonly Item[]
  readonly branchId: string
  readonly box: React.RefObject<HTMLDivElement | null>
  /** Set while only the items in view are drawn. */
  readonly scrollToTop: React.RefObject<(() => void) | null>
}

/** A long branch is never drawn completely, not even while little of it is loaded: the view would jump. */
function Items(props: ItemsProps) {
  const { items } = props
  const isLong = items.length > ALL_UP_TO || (items.at(-1)?.message.position ?? 0) > ALL_UP_TO
  return isLong ? <VirtualItems {...props} /> : <PlainItems {...props} />
}

function PlainItems({ items, branchId }: ItemsProps) {
  return items.map((item, at) => (
    <div key={item.key} id={item.message.id} className={gapOf(items[at - 1], item)}>
      <ItemView item={item} inherited={item.message.branchId !== branchId} />
    </div>
  ))
}

function VirtualItems({ items, branchId, box, scrollToTop }: ItemsProps) {
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => GUESSED_HEIGHT,
    getItemKey: (index) => items[index]?.key ?? index,
    overscan: 12,
  })
  useEffect(() => {
    scrollToTop.current = () => virtual.scrollToOffset(0)
    return () => void (scrollToTop.current = null)
  }, [virtual, scrollToTop])
  return (
    <div className="relative w-full" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ key, index, start }) => {
        const item = items[index]
        return (
          item && (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              id={item.message.id}
              className={`absolute inset-x-0 top-0 ${gapOf(items[index - 1], item, true)}`}
              style={{ transform: `translateY(${start}px)` }}
            >
              <ItemView item={item} inherited={item.message.branchId !== branchId} />
            </div>
          )
        )
      })}
    </div>
  )
}

/**
 * Calls are close together; a new speaker gets more space. Space is part of an item, so that measured heights include
 * it.
 */
function gapOf(before: Item | undefined, item: Item, inside = false): string {
  if (!before) return ''
  const small = isCall(before) && isCall(item)
  if (small) return inside ? 'pt-0.5' : 'mt-0.5'
  const large = isSaid(item) || isSaid(before) || hasActions(before)
  if (large) return inside ? 'touch:pt-13 pt-9' : 'touch:mt-13 mt-9'
  return inside ? 'pt-3' : 'mt-3'
}

function isSaid({ kind }: Item): boolean {
  return kind === 'user' || kind === 'told'
}

function isCall({ kind }: Item): boolean {
  return kind === 'tool' || kind === 'looks' || kind === 'reasoning'
}

/** Loads the previous page without moving the view. Call it on every scroll. */
function useOlder({ olderOf, items }: PathItems, box: React.RefObject<HTMLDivElement | null>): () => void {
  const view = useConversationView()
  const loading = useRef(false)
  /** The distance from the end, which is kept. */
  const below = useRef(0)
  const first = items[0]?.key
  const shown = useRef(first)
  useLayoutEffect(() => {
    const element = box.current
    if (element && loading.current && shown.current !== first)
      element.scrollTop = element.scrollHeight - below.current
    shown.current = first
  }, [box, first])
  return () => {
    const element = box.current
    if (!element) return
    below.current = element.scrollHeight - element.scrollTop
    if (!olderOf || loading.current || element.scrollTop > LOAD_WITHIN) return
    loading.current = true
    view
      .loadOlder(olderOf.id)
      .catch(showError)
      // Drawn one frame later.
      .finally(() => requestAnimationFrame(() => requestAnimationFrame(() => (loading.current = false))))
  }
}

/** Exposes the start of the messages to CSS, for overlays. */
function useMessagesTop(box: React.RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const { style } = document.documentElement
    // Content above changes their height.
    const observer = new ResizeObserver(() =>
      style.setProperty('--messages-top', `${element.getBoundingClientRect().top}px`),
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      style.removeProperty('--messages-top')
    }
  }, [box])
}

/** Scrolls to the message in the address once it is loaded. */
function useJump(
  messageId: string | null,
  items: readonly Item[],
  box: React.RefObject<HTMLDivElement | null>,
  stick: React.RefObject<boolean>,
): void {
  const done = useRef<string | null>(null)
  const there = messageId !== null && items.some((item) => item.message.id === messageId)
  useEffect(() => {
    if (!there || done.current === messageId) return
    done.current = messageId
    stick.current = false
    box.current?.querySelector(`#${CSS.escape(messageId)}`)?.scrollIntoView({ block: 'start' })
  }, [there, messageId, box, stick])
}

/** Announces a finished answer once, not each streamed word. */
function Announcer({ items }: { items: readonly Item[] }) {
  const last = items.findLast((item) => item.kind === 'text' && item.message.state !== 'streaming')
  const text = last?.kind === 'text' ? last.part.text : ''
  const [first] = useState(text)
  return (
    <div aria-live="polite" className="sr-only">
      {text === first ? '' : text.slice(0, 1000)}
    </div>
  )
}

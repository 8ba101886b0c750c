import type { ReactNode } from 'react'
import { IconButton } from '../ui/button.tsx'
import { Splitter } from '../ui/splitter.tsx'
import { LeftRail } from './left-rail.tsx'
import { useMedia } from '../state/media.ts'
import { closeSheet, openSheet, usePanels } from '../state/panels.ts'
import { usePref } from '../state/prefs.ts'
import { Sheet } from './sheet.tsx'

interface FrameProps {
  readonly children: ReactNode
  /** Content of the left rail besides the conversations. */
  readonly tree?: ReactNode
  /** Content of the top bar; without any, the bar is hidden. */
  readonly header?: ReactNode
  readonly right?: ReactNode
}

/** Three columns; on a narrow screen only the middle one, with the others in sheets. */
export function Frame({ children, tree, header, right }: FrameProps) {
  const wide = useMedia('(min-width: 1100px)')
  const middle = useMedia('(min-width: 720px)')
  const [leftOpen] = usePref('leftOpen')
  const [rightOpen] = usePref('rightOpen')
  const [leftWidth, setLeftWidth] = usePref('leftWidth')
  const [rightWidth, setRightWidth] = usePref('rightWidth')
  const { sheet } = usePanels()
  return (
    <div className="flex h-dvh flex-col">
      <SkipLink />
      <div className="flex min-h-0 flex-1">
        {middle && leftOpen && (
          <>
            <div style={{ width: leftWidth }} className="min-h-0 shrink-0 bg-panel" data-print="no">
              <LeftRail tree={tree} />
            </div>
            <Splitter
              label="Width of the left column"
              grows="left"
              width={leftWidth}
              min={200}
              max={420}
              onResize={setLeftWidth}
            />
          </>
        )}
        <div className="flex min-w-0 flex-1 flex-col">
          <TopBar left={!middle || !leftOpen}>{header}</TopBar>
          <div className="flex min-h-0 flex-1">
            <main className="flex min-h-0 min-w-0 flex-1 flex-col">{children}</main>
            {right && wide && rightOpen && (
              <>
                <Splitter
                  label="Width of the right column"
                  grows="right"
                  width={rightWidth}
                  min={300}
                  max={720}
                  onResize={setRightWidth}
                />
                <aside
                  aria-label="Details"
                  style={{ width: rightWidth }}
                  className="min-h-0 shrink-0 bg-panel"
                  data-print="no"
                >
                  {right}
                </aside>
              </>
            )}
          </div>
        </div>
      </div>
      <Sheet title="Conversations" side="left" isOpen={sheet === 'left'} onClose={closeSheet}>
        <LeftRail tree={tree} />
      </Sheet>
      {right && (
        <Sheet title="Details" side="right" isOpen={sheet === 'right' && !wide} onClose={closeSheet}>
          {right}
        </Sheet>
      )}
    </div>
  )
}

function SkipLink() {
  return (
    <a
      href="#composer"
      className="sr-only z-50 rounded-md bg-raised px-3 py-1.5 focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
    >
      Skip to the message field
    </a>
  )
}

function TopBar({ left, children }: { left: boolean; children: ReactNode }) {
  const [, setLeftOpen] = usePref('leftOpen')
  const middle = useMedia('(min-width: 720px)')
  if (!left && children === undefined) return null
  return (
    <header
      data-print="no"
      className="touch:h-14 flex h-12 shrink-0 items-center gap-1.5 border-b border-line bg-ground pr-2 pl-3"
    >
      {left && (
        <IconButton
          icon="menu"
          label="Conversations"
          className="-ml-1"
          onPress={() => (middle ? setLeftOpen(true) : openSheet('left'))}
        />
      )}
      {children}
    </header>
  )
}

import { memo } from 'react'
import { Icon } from '../ui/icon.tsx'
import { useFold } from '../state/folds.ts'
import { summaryOfLooks, type ToolEntry } from './transcript-items.ts'
import { isSameEntry, ToolCard } from './tool-card.tsx'

/** Consecutive read-only calls, folded into one line. */
export const LooksCard = memo(
  ({ entries }: { entries: readonly ToolEntry[] }) => {
    const [open, setOpen] = useFold(`looks-${entries[0]?.part.id}`)
    const [only] = entries
    if (only && entries.length === 1) return <ToolCard entry={only} />
    return (
      <div>
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="touch:min-h-11 flex w-full items-center gap-2 rounded-md px-2 py-1 text-left text-sm text-ink-2 hover:bg-hover"
        >
          <Icon name="eye" size={14} className="text-ink-3" />
          <span className="flex-1">{summaryOfLooks(entries)}</span>
          <Icon name={open ? 'down' : 'right'} size={12} className="text-ink-3" />
        </button>
        {open && (
          <div className="ml-3.5 border-l border-line pl-2">
            {entries.map((entry) => (
              <ToolCard key={entry.part.id} entry={entry} />
            ))}
          </div>
        )}
      </div>
    )
  },
  (before, after) =>
    before.entries.length === after.entries.length &&
    before.entries.every((entry, index) => isSameEntry(entry, after.entries[index] ?? entry)),
)

import { keysOf, shortcuts, shownKeys } from '../state/keymap.ts'
import { navigate } from '../state/route.ts'
import { usePref } from '../state/prefs.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** All current shortcuts. */
export function ShortcutsHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [singleKeys] = usePref('singleKeys')
  const groups = [...Map.groupBy(shortcuts, ({ group }) => group), ['In the timeline', TIMELINE] as const]
  const change = () => {
    onClose()
    navigate('/settings/shortcuts')
  }
  return (
    <Dialog title="Shortcuts" isOpen={isOpen} onClose={onClose} width="max-w-2xl">
      {!singleKeys && <p className="px-4 pt-3 text-xs text-ink-2">Single-letter shortcuts are off.</p>}
      <div className="grid gap-x-8 gap-y-5 p-4 sm:grid-cols-2">
        {groups.map(([name, rows]) => (
          <section key={name}>
            <h3 className="mb-1 text-xs font-medium text-ink-3">{name}</h3>
            <dl className="text-sm">
              {rows.map((row) => (
                <div key={row.label} className="flex items-center justify-between gap-3 py-1">
                  <dt>{row.label}</dt>
                  <dd>
                    <kbd className="rounded border border-line bg-panel px-1.5 py-px font-sans text-xs whitespace-nowrap text-ink-2">
                      {'id' in row ? shownKeys(keysOf(row.id)) : row.keys}
                    </kbd>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <footer className="border-t border-line px-4 py-2">
        <Button look="quiet" icon="settings" className="-ml-2.5" onPress={change}>
          Change shortcuts
        </Button>
      </footer>
    </Dialog>
  )
}

const TIMELINE: readonly { readonly label: string; readonly keys: string }[] = [
  { label: 'Scroll left or right', keys: 'A D' },
  { label: 'Zoom in, zoom out', keys: '+ −' },
  { label: 'Zoom to fit', keys: '0' },
  { label: 'Open details', keys: 'Enter' },
]

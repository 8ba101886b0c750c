import { useRef, useState, type KeyboardEvent } from 'react'
import { keyOf, keysOf, shortcuts, shownKeys, type ShortcutId } from '../state/keymap.ts'
import { usePref } from '../state/prefs.ts'
import { Button } from '../ui/button.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { Cell, Section, Table } from './settings-section.tsx'

/** All shortcuts, each of which can be changed. */
export function Shortcuts() {
  const [singleKeys, setSingleKeys] = usePref('singleKeys')
  const [keys, setKeys] = usePref('keys')
  return (
    <>
      <Section title="Single-letter shortcuts">
        <Toggle isSelected={singleKeys} onChange={setSingleKeys}>
          Keys without Ctrl, ⌘ or Alt, outside text fields
        </Toggle>
      </Section>
      <Section
        title="Keys"
        note="Press two keys shown side by side one after the other. Saved on this device."
      >
        <Table label="Keys" heads={['Action', 'Where', 'Keys']}>
          {shortcuts.map(({ id, label, group }) => (
            <tr key={id}>
              <Cell className="w-1/2 text-sm">{label}</Cell>
              <Cell className="text-ink-3">{group}</Cell>
              <Cell className="whitespace-nowrap">
                <Keys id={id} label={label} keys={keys} onKeys={setKeys} />
              </Cell>
            </tr>
          ))}
        </Table>
        {Object.keys(keys).length > 0 && (
          <Button className="mt-3" onPress={() => setKeys({})}>
            Reset all keys
          </Button>
        )}
      </Section>
    </>
  )
}

interface KeysProps {
  readonly id: ShortcutId
  readonly label: string
  readonly keys: Readonly<Record<string, string>>
  readonly onKeys: (keys: Readonly<Record<string, string>>) => void
}

/** Modifier keys alone are not a shortcut. */
const MODIFIERS: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta', 'CapsLock', 'Dead', 'Tab'])

function Keys({ id, label, keys, onKeys }: KeysProps) {
  const [isListening, setListening] = useState(false)
  const [taken, setTaken] = useState<string>()
  const button = useRef<HTMLButtonElement>(null)
  const onKey = (event: KeyboardEvent) => {
    if (!isListening || MODIFIERS.has(event.key)) return
    event.preventDefault()
    event.stopPropagation()
    setListening(false)
    if (event.key === 'Escape') return
    const pressed = keyOf(event)
    const other = shortcuts.find((each) => each.id !== id && keysOf(each.id) === pressed)
    setTaken(other?.label)
    if (!other) onKeys({ ...keys, [id]: pressed })
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <button
        ref={button}
        type="button"
        aria-label={
          isListening
            ? `Press the keys for: ${label}`
            : `Change the keys of: ${label}. Now ${shownKeys(keysOf(id))}`
        }
        onClick={() => {
          setListening(true)
          setTaken(undefined)
        }}
        onBlur={() => setListening(false)}
        onKeyDown={onKey}
        className={`touch:min-h-11 min-h-7 min-w-16 rounded-md border px-2 text-center ${isListening ? 'border-accent bg-accent-soft' : 'border-line bg-raised hover:bg-hover'}`}
      >
        {isListening ? 'Press keys…' : <kbd className="font-sans">{shownKeys(keysOf(id))}</kbd>}
      </button>
      {keys[id] !== undefined && (
        <Button
          look="quiet"
          aria-label={`Reset the keys of: ${label}`}
          onPress={() => {
            const { [id]: _, ...rest } = keys
            onKeys(rest)
            button.current?.focus()
          }}
        >
          Reset
        </Button>
      )}
      <span role="status" className="text-failed">
        {taken && `in use: ${taken}`}
      </span>
    </div>
  )
}

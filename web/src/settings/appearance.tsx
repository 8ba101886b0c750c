import { Label, RadioButton, RadioField, RadioGroup } from 'react-aria-components/RadioGroup'
import { usePref } from '../state/prefs.ts'
import { Section } from './settings-section.tsx'
import { Toggle } from '../ui/toggle.tsx'

const THEMES = [
  { id: 'system', label: 'System' },
  { id: 'light', label: 'Light' },
  { id: 'dark', label: 'Dark' },
] as const

/** Appearance settings of this device. */
export function Appearance() {
  const [theme, setTheme] = usePref('theme')
  const [singleKeys, setSingleKeys] = usePref('singleKeys')
  const [compress, setCompress] = usePref('compressIdle')
  return (
    <>
      <Section title="Theme" note="Saved on this device.">
        <RadioGroup
          value={theme}
          onChange={(id) => setTheme(THEMES.find((each) => each.id === id)?.id ?? 'system')}
        >
          <Label className="sr-only">Theme</Label>
          <div className="flex flex-wrap gap-2">
            {THEMES.map(({ id, label }) => (
              <RadioField key={id} value={id}>
                <RadioButton className="touch:min-h-11 flex h-9 cursor-default items-center gap-2 rounded-md border border-line bg-raised px-3 text-sm hover:bg-hover data-focus-visible:outline-2 data-focus-visible:outline-offset-2 data-focus-visible:outline-accent data-selected:border-accent data-selected:bg-accent-soft data-selected:font-medium">
                  {({ isSelected }) => (
                    <>
                      <span
                        className={`flex size-3.5 items-center justify-center rounded-full border ${isSelected ? 'border-accent' : 'border-line-strong'}`}
                      >
                        {isSelected && <span className="size-2 rounded-full bg-accent" />}
                      </span>
                      {label}
                    </>
                  )}
                </RadioButton>
              </RadioField>
            ))}
          </div>
        </RadioGroup>
      </Section>
      <Section title="Single-letter shortcuts">
        <Toggle isSelected={singleKeys} onChange={setSingleKeys}>
          Keys without Ctrl, ⌘ or Alt, outside text fields
        </Toggle>
      </Section>
      <Section title="Timeline">
        <Toggle isSelected={compress} onChange={setCompress}>
          Compress idle gaps: shorten times without activity
        </Toggle>
      </Section>
    </>
  )
}

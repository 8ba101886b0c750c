import type { ReactNode } from 'react'
import { SwitchButton, SwitchField } from 'react-aria-components/Switch'

interface ToggleProps {
  readonly isSelected: boolean
  readonly onChange: (isSelected: boolean) => void
  readonly children: ReactNode
}

/** A switch that takes effect at once. */
export function Toggle({ isSelected, onChange, children }: ToggleProps) {
  return (
    <SwitchField isSelected={isSelected} onChange={onChange}>
      <SwitchButton className="touch:min-h-11 group flex min-h-7 cursor-default items-center gap-2 text-xs text-ink-2">
        <span className="flex h-4 w-7 shrink-0 items-center rounded-full border border-line-strong bg-panel p-px transition-colors group-data-focus-visible:outline-2 group-data-focus-visible:outline-offset-2 group-data-focus-visible:outline-accent group-data-selected:border-accent group-data-selected:bg-accent">
          <span className="size-3 rounded-full bg-line-strong transition-transform group-data-selected:translate-x-3 group-data-selected:bg-on-accent" />
        </span>
        {children}
      </SwitchButton>
    </SwitchField>
  )
}

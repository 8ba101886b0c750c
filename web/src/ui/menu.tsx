import type { ReactElement } from 'react'
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from 'react-aria-components/Menu'
import { Icon, type IconName } from './icon.tsx'

export interface MenuChoice {
  readonly id: string
  readonly label: string
  readonly icon?: IconName
  readonly keys?: string
  readonly danger?: boolean
  readonly onAction: () => void
}

/** A button and what it offers. */
export function Menu({
  label,
  choices,
  children,
}: {
  label: string
  choices: readonly MenuChoice[]
  children: ReactElement
}) {
  return (
    <MenuTrigger>
      {children}
      <Popover className="z-50 min-w-48 rounded-lg border border-line bg-raised p-1 shadow-float">
        <AriaMenu aria-label={label} className="outline-none">
          {choices.map((choice) => (
            <MenuItem
              key={choice.id}
              id={choice.id}
              textValue={choice.label}
              onAction={choice.onAction}
              className={`touch:min-h-11 flex min-h-8 cursor-default items-center gap-2 rounded-md px-2 text-sm outline-none data-focused:bg-hover ${choice.danger ? 'text-failed' : 'text-ink'}`}
            >
              {choice.icon && (
                <Icon name={choice.icon} size={14} className={choice.danger ? '' : 'text-ink-3'} />
              )}
              <span className="flex-1">{choice.label}</span>
              {choice.keys && <kbd className="pl-4 font-sans text-xs text-ink-3">{choice.keys}</kbd>}
            </MenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}

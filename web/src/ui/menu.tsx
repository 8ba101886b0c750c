import type { ReactElement, RefObject } from 'react'
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

interface Choices {
  readonly label: string
  readonly choices: readonly MenuChoice[]
}

const POPOVER = 'z-50 min-w-48 rounded-lg border border-line bg-raised p-1 shadow-float'

export function Menu({ children, ...choices }: Choices & { readonly children: ReactElement }) {
  return (
    <MenuTrigger>
      {children}
      <Popover className={POPOVER}>
        <ChoiceList {...choices} />
      </Popover>
    </MenuTrigger>
  )
}

interface ContextMenuProps extends Choices {
  /** The element that the person right-clicked. */
  readonly anchor: RefObject<HTMLElement | null>
  readonly onClose: () => void
}

/** Menu for a right click or the menu key. On close, the focus returns to the anchor. */
export function ContextMenu({ anchor, onClose, ...choices }: ContextMenuProps) {
  return (
    <Popover
      isOpen
      triggerRef={anchor}
      onOpenChange={(open) => !open && onClose()}
      placement="bottom start"
      className={POPOVER}
    >
      <ChoiceList {...choices} onClose={onClose} />
    </Popover>
  )
}

function ChoiceList({ label, choices, onClose }: Choices & { readonly onClose?: () => void }) {
  return (
    <AriaMenu aria-label={label} className="outline-none" {...(onClose && { onClose, autoFocus: 'first' })}>
      {choices.map((choice) => (
        <MenuItem
          key={choice.id}
          id={choice.id}
          textValue={choice.label}
          onAction={choice.onAction}
          className={`touch:min-h-11 flex min-h-8 cursor-default items-center gap-2 rounded-md px-2 text-sm outline-none data-focused:bg-hover ${choice.danger ? 'text-failed' : 'text-ink'}`}
        >
          {choice.icon && <Icon name={choice.icon} size={14} className={choice.danger ? '' : 'text-ink-3'} />}
          <span className="flex-1">{choice.label}</span>
          {choice.keys && <kbd className="pl-4 font-sans text-xs text-ink-3">{choice.keys}</kbd>}
        </MenuItem>
      ))}
    </AriaMenu>
  )
}

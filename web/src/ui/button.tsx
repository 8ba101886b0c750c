import type { ReactNode, Ref } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button'
import { Tooltip, TooltipTrigger } from 'react-aria-components/Tooltip'
import { Icon, type IconName } from './icon.tsx'

type Look = 'plain' | 'quiet' | 'primary' | 'danger'

const LOOKS: Readonly<Record<Look, string>> = {
  plain: 'border border-line bg-raised text-ink hover:bg-hover pressed:bg-pressed',
  quiet: 'text-ink-2 hover:bg-hover hover:text-ink pressed:bg-pressed',
  primary: 'bg-accent font-medium text-on-accent hover:brightness-110 pressed:brightness-95',
  danger: 'border border-line bg-raised text-failed hover:bg-failed-soft',
}

interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'style'> {
  readonly children?: ReactNode
  readonly icon?: IconName
  readonly look?: Look
  /** For lists. */
  readonly small?: boolean
  readonly className?: string
  readonly ref?: Ref<HTMLButtonElement>
}

/** At least 28 px high, 44 px on touch screens. */
export function Button({
  children,
  icon,
  look = 'plain',
  small = false,
  className = '',
  ...rest
}: ButtonProps) {
  const size = small ? 'h-6 gap-1 px-1.5 text-xs' : 'h-7 gap-1.5 px-2.5 text-sm'
  const shape = `touch:min-h-11 touch:px-3.5 inline-flex items-center rounded-md whitespace-nowrap ${size}`
  return (
    <AriaButton
      {...rest}
      className={`${shape} transition-colors select-none disabled:opacity-45 ${LOOKS[look]} ${className}`}
    >
      {icon && <Icon name={icon} size={small ? 12 : 14} className="-ml-0.5" />}
      {children}
    </AriaButton>
  )
}

interface IconButtonProps extends Omit<ButtonProps, 'look' | 'small' | 'children'> {
  readonly icon: IconName
  readonly label: string
  /** Shortcut, shown in the tooltip after the label. */
  readonly keys?: string
}

/** A button without visible text; its label is in the tooltip and in the accessibility tree. */
export function IconButton({ icon, label, keys, className = '', ...rest }: IconButtonProps) {
  const shape = 'touch:size-11 inline-flex size-7 items-center justify-center rounded-md text-ink-3'
  return (
    <TooltipTrigger delay={500} closeDelay={50}>
      <AriaButton
        {...rest}
        aria-label={label}
        className={`${shape} transition-colors hover:bg-hover hover:text-ink disabled:opacity-45 pressed:bg-pressed ${className}`}
      >
        <Icon name={icon} />
      </AriaButton>
      <Tip>
        {label}
        {keys && <kbd className="ml-2 font-sans opacity-70">{keys}</kbd>}
      </Tip>
    </TooltipTrigger>
  )
}

function Tip({ children }: { children: ReactNode }) {
  return (
    <Tooltip
      offset={6}
      className="z-50 max-w-72 rounded-md bg-ink px-2 py-1 text-xs text-ground shadow-float"
    >
      {children}
    </Tooltip>
  )
}

import { Icon } from './icon.tsx'
import { lookOf } from './run-status-look.ts'

type RunStateFields = Parameters<typeof lookOf>[0]

/** The state of a run as an icon. Screen readers get the word, unless it is shown beside the icon. */
export function RunMark({
  run,
  silent = false,
  size = 14,
  word: given,
}: {
  run: RunStateFields
  silent?: boolean
  size?: number
  /** The state from the run's status line, if known. */
  word?: string
}) {
  const { icon, tone, spins, ...look } = lookOf(run)
  const word = given ?? look.word
  return (
    <span className={`inline-flex shrink-0 ${tone}`} title={silent ? undefined : word}>
      <Icon name={icon} size={size} className={spins ? 'spin' : ''} />
      {!silent && <span className="sr-only">{word}</span>}
    </span>
  )
}

interface RunWordProps {
  readonly run: RunStateFields
  readonly word?: string
  readonly className?: string
}

export function RunWord({ run, word, className = '' }: RunWordProps) {
  const look = lookOf(run)
  return <span className={`whitespace-nowrap ${look.tone} ${className}`}>{word ?? look.word}</span>
}

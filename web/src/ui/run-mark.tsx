import { Icon } from './icon.tsx'
import { lookOf } from './run-status-look.ts'

type RunStateFields = Parameters<typeof lookOf>[0]

/** The state of a run as a picture; the word is said to those who do not see it, unless it stands beside. */
export function RunMark({
  run,
  silent = false,
  size = 14,
}: {
  run: RunStateFields
  silent?: boolean
  size?: number
}) {
  const { icon, tone, word, spins } = lookOf(run)
  return (
    <span className={`inline-flex shrink-0 ${tone}`} title={silent ? undefined : word}>
      <Icon name={icon} size={size} className={spins ? 'spin' : ''} />
      {!silent && <span className="sr-only">{word}</span>}
    </span>
  )
}

export function RunWord({ run, className = '' }: { run: RunStateFields; className?: string }) {
  const { tone, word } = lookOf(run)
  return <span className={`whitespace-nowrap ${tone} ${className}`}>{word}</span>
}

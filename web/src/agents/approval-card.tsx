import { commandSandboxWords, durationWords } from 'offshoot/client'
import type { ApprovalRow } from 'offshoot/protocol'
import { useRef, useState } from 'react'
import { useAskCard } from '../state/ask-places.ts'
import { useVerbs } from '../state/verbs.ts'
import { Button } from '../ui/button.tsx'
import { useNow } from '../ui/use-now.ts'
import { Icon } from '../ui/icon.tsx'
import { shownKeys } from '../state/keymap.ts'
import { AlwaysForm } from './always-form.tsx'
import { DenyForm } from './deny-form.tsx'
import { ApprovalDetail } from './approval-detail.tsx'

type Extra = 'none' | 'always' | 'deny'

/**
 * An open approval: the agent, the exact command, where, why, and the possible answers. Never takes the focus; its
 * single-letter keys work only while focused.
 */
export function ApprovalCard({ approval }: { approval: ApprovalRow }) {
  const verbs = useVerbs()
  const card = useRef<HTMLElement>(null)
  useAskCard(approval.id, card)
  const [extra, setExtra] = useState<Extra>('none')
  const answer = (word: 'once' | 'run' | 'deny') => verbs.approve(approval, { answer: word })
  const keys: Readonly<Record<string, () => void>> = {
    a: () => answer('once'),
    A: () => answer('run'),
    d: () => answer('deny'),
  }
  return (
    <section
      ref={card}
      aria-label={`Approval: ${approval.title}`}
      tabIndex={0}
      data-approval={approval.id}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget || event.metaKey || event.ctrlKey || event.altKey) return
        keys[event.key]?.()
      }}
      className="rounded-lg border border-needs-line bg-needs-soft p-3"
    >
      <AskedBy approval={approval} />
      <ApprovalDetail approval={approval} />
      <p className="mt-1.5 text-xs wrap-anywhere text-ink-2">{`in ${approval.directory} · reason: ${approval.rule}`}</p>
      <Reach approval={approval} />
      <div className="mt-2.5 flex flex-wrap items-center gap-1.5">
        <Button look="primary" onPress={() => answer('once')}>
          Allow once
        </Button>
        {approval.grant && <Button onPress={() => answer('run')}>Allow for this run</Button>}
        {approval.grant && (
          <Button
            aria-expanded={extra === 'always'}
            onPress={() => setExtra(extra === 'always' ? 'none' : 'always')}
          >
            {approval.pattern === null ? 'Always…' : <AlwaysFor pattern={approval.pattern} />}
          </Button>
        )}
        <Button look="danger" onPress={() => answer('deny')}>
          Deny
        </Button>
        <Button
          look="quiet"
          small
          aria-expanded={extra === 'deny'}
          onPress={() => setExtra(extra === 'deny' ? 'none' : 'deny')}
        >
          Deny with note…
        </Button>
      </div>
      {extra === 'always' && <AlwaysForm approval={approval} />}
      {extra === 'deny' && <DenyForm approval={approval} />}
      <p className="sr-only">{`With this card focused: A allows once, ${shownKeys('Shift')} and A for this run, D denies.`}</p>
    </section>
  )
}

/** Whether a command would be confined. */
function Reach({ approval }: { approval: ApprovalRow }) {
  const words = commandSandboxWords(approval.sandbox)
  return words && <p className="mt-1 text-xs wrap-anywhere text-ink-2">{words}</p>
}

function AskedBy({ approval }: { approval: ApprovalRow }) {
  const now = useNow()
  return (
    <header className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-sm">
      <Icon name="flag" size={14} className="text-needs" />
      <span className="font-medium text-needs">{approval.path.join(' › ')}</span>
      <span className="text-ink-2">{`wants to use ${approval.tool}`}</span>
      <span className="ml-auto text-xs text-ink-2 tabular-nums">
        {`#${approval.number} · waiting ${durationWords(now - approval.requestedAt)}`}
      </span>
    </header>
  )
}

function AlwaysFor({ pattern }: { pattern: string }) {
  return (
    <span>
      Always for <code className="text-xs">{pattern.length > 28 ? `${pattern.slice(0, 27)}…` : pattern}</code>
    </span>
  )
}

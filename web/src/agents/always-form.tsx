import type { ApprovalRow } from 'offshoot/protocol'
import { useState } from 'react'
import { useVerbs } from '../state/verbs.ts'
import { Button } from '../ui/button.tsx'

type Scope = 'conversation' | 'project'

const SCOPES: readonly { readonly id: Scope; readonly label: string }[] = [
  { id: 'conversation', label: 'in this conversation' },
  { id: 'project', label: 'in every conversation of this folder' },
]

/** Shows the rule that "always" would create before it does. */
export function AlwaysForm({ approval }: { approval: ApprovalRow }) {
  const verbs = useVerbs()
  const [scope, setScope] = useState<Scope>('conversation')
  const [pattern, setPattern] = useState(approval.pattern ?? '')
  const save = () =>
    verbs.approve(approval, {
      answer: 'always',
      scope,
      ...(pattern.trim() && approval.pattern !== null ? { pattern: pattern.trim() } : {}),
    })
  return (
    <form
      className="mt-2.5 flex flex-col gap-2 rounded-md border border-line bg-raised p-2.5 text-sm"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <label className="flex flex-wrap items-center gap-2">
        <span className="text-ink-2">{`Allow ${approval.tool}`}</span>
        {approval.pattern !== null && (
          <input
            value={pattern}
            onChange={(event) => setPattern(event.target.value)}
            aria-label="Pattern"
            className="h-7 min-w-40 flex-1 rounded border border-line-strong bg-ground px-2 font-mono text-xs"
          />
        )}
      </label>
      <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
        <legend className="sr-only">Where</legend>
        {SCOPES.map(({ id, label }) => (
          <label key={id} className="flex min-h-6 items-center gap-1.5">
            <input
              type="radio"
              name={`scope-${approval.id}`}
              checked={scope === id}
              onChange={() => setScope(id)}
              className="accent-accent"
            />
            {label}
          </label>
        ))}
      </fieldset>
      <div>
        <Button type="submit" look="primary">
          Allow always
        </Button>
      </div>
    </form>
  )
}

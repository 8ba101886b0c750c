import {
  breadcrumb,
  costWords,
  originNumber,
  siblings,
  tokenWords,
  type BranchView,
  type ViewState,
} from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useEffect, useRef } from 'react'
import { useView } from '../state/conversation.tsx'
import { navigate } from '../state/route.ts'
import { RunActions } from '../agents/run-actions.tsx'
import { Elapsed, Until } from '../agents/run-line.tsx'
import { Chip } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { hueOf } from '../ui/format.ts'
import { RunMark, RunWord } from '../ui/run-mark.tsx'
import { goUp } from './go-up.ts'
import { nameOf, pathOf, runOf } from '../state/branch-lookup.ts'
import { useStatus } from '../state/use-status.ts'
import { detailOf } from '../ui/run-status-look.ts'

/** Header of a branch other than the main one: its place, its state, and links to its parent and siblings. */
export function BranchHeader({ branch }: { branch: BranchView }) {
  const run = useView((state) => runOf(state, branch.id))
  const parent = useView((state) => breadcrumb(state, branch.id).at(-2))
  const kind = useView((state) => kindOf(state, branch))
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // The pressed link is gone; keyboard focus moves to the branch name.
    if (document.activeElement === document.body) title.current?.focus({ preventScroll: true })
  }, [branch.id])
  const back = () => parent && goUp(branch, parent)
  return (
    <header
      data-print="no"
      className={`border-b border-line bg-[color-mix(in_srgb,var(--hue)_5%,var(--ground))] px-4 py-2 ${hueOf(branch.agent)}`}
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Button look="quiet" icon="left" onPress={back} className="-ml-2">
          Back
        </Button>
        <h1
          ref={title}
          dir="auto"
          tabIndex={-1}
          className="min-w-0 truncate rounded-sm outline-none text-sm font-semibold"
        >
          {branch.kind === 'subagent' && <span className="text-hue">{`@${branch.agent} `}</span>}
          {nameOf(branch) === branch.agent ? (run?.task ?? '') : nameOf(branch)}
        </h1>
        <Chip>{kind}</Chip>
        <div className="flex-1" />
        {branch.kind === 'subagent' && <SiblingPager branch={branch} />}
      </div>
      {run && (
        <div className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-2 tabular-nums">
          <span className="flex items-center gap-1.5">
            <RunMark run={run} silent />
            <BranchStatus run={run} />
          </span>
          <span>{`${run.turns}/${run.maxTurns} turns`}</span>
          <span>{`${tokenWords(run.usage.input + run.usage.output)} tokens`}</span>
          <span>{costWords(run.costUsd)}</span>
          <span>
            <Elapsed run={run} />
          </span>
          <span className="hidden truncate lg:inline">{run.model}</span>
          {run.background && <Chip>background</Chip>}
          <div className="flex-1" />
          <RunActions run={run} small />
        </div>
      )}
    </header>
  )
}

function BranchStatus({ run }: { run: RunRow }) {
  const line = useStatus(run)
  const detail = detailOf(run, line)
  return (
    <>
      <RunWord run={run} word={line.state} className="font-medium" />
      {detail !== line.state && <span className="wrap-anywhere">{detail}</span>}
      <Until at={line.until} />
    </>
  )
}

/** `subagent · fresh context`, `fork · inherits up to message 4`. */
function kindOf(state: ViewState, branch: BranchView): string {
  const context = branch.inheritContext ? 'inherits context' : 'fresh context'
  if (branch.kind !== 'fork') return `${branch.kind} · ${context}`
  const origin = originNumber(state, branch)
  return `fork · inherits ${origin ? `up to message ${origin}` : 'earlier messages'}`
}

function SiblingPager({ branch }: { branch: BranchView }) {
  const list = useView((state) => siblings(state, branch.id))
  const at = list.findIndex(({ id }) => id === branch.id)
  if (list.length < 2) return null
  const go = (step: number) => {
    const next = list[at + step]
    if (next) navigate(pathOf(next))
  }
  return (
    <nav aria-label="Siblings" className="flex items-center text-xs text-ink-2 tabular-nums">
      <IconButton icon="left" label="Previous sibling" isDisabled={at <= 0} onPress={() => go(-1)} />
      <span className="px-0.5">{`${at + 1} of ${list.length}`}</span>
      <IconButton
        icon="right"
        label="Next sibling"
        isDisabled={at >= list.length - 1}
        onPress={() => go(1)}
      />
    </nav>
  )
}

import { changedFile, changingTools, patchLines } from 'offshoot/client'
import type { ApprovalRow } from 'offshoot/protocol'
import { DiffView } from '../markdown/diff-view.tsx'
import { TextLines } from '../ui/text-lines.tsx'

/** The exact command, change or path to approve. */
export function ApprovalDetail({ approval }: { approval: ApprovalRow }) {
  const { tool, detail, title } = approval
  const isChange = changingTools.has(tool) && patchLines(detail) !== undefined
  return (
    <div className="mt-2">
      {isChange ? (
        <DiffView patch={detail} name={changedFile(detail)} label="What it wants to change" />
      ) : (
        <TextLines text={detail || title} label="What it wants to do" />
      )}
    </div>
  )
}

import type { BranchView } from 'offshoot/client'
import { pathOf } from '../state/branch-lookup.ts'
import { navigate } from '../state/route.ts'
import { focusOpener } from '../ui/focus-opener.ts'

/** Goes to the parent branch. Focuses the link to the left branch, its card or row, else the branch name. */
export function goUp(branch: BranchView, parent: BranchView): void {
  navigate(pathOf(parent))
  focusOpener(`branch-title-${parent.id}`)
  focusOpener(`branch-${branch.id}`, `view-${branch.id}`, `tree-${branch.id}`)
}

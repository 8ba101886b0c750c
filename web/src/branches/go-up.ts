import type { BranchView } from 'offshoot/client'
import { pathOf } from '../state/branch-lookup.ts'
import { navigate } from '../state/route.ts'
import { focusOpener } from '../ui/focus-opener.ts'

/**
 * Leaves a branch for the one above. The focus goes to what leads to the branch, its card or row, and to the name of
 * the place where none is drawn.
 */
export function goUp(branch: BranchView, parent: BranchView): void {
  navigate(pathOf(parent))
  focusOpener(`branch-title-${parent.id}`)
  focusOpener(`branch-${branch.id}`, `view-${branch.id}`, `tree-${branch.id}`)
}

import { formatCitation, type Finding } from './citation.ts'
import { baseName, fileKind } from './file-kind.ts'
import type { FoundAnswer } from './answer.ts'
import { amount } from './report.ts'

const LIMITS =
  'This plan was assembled by rules (offline: rule-based search, not a language model): it names the places that fit the words of the task. A person or a language model has to decide what to change there.'

/** Numbered steps over the found files: sources first, then tests, then documentation. */
export function writePlan({ sections, failure }: FoundAnswer): string {
  const findings = sections.flatMap((section) => section.findings)
  if (findings.length === 0 && failure !== null) return `The search failed. ${failure}\n\n${LIMITS}`
  if (findings.length === 0)
    return `No place in the workspace fits the words of the task, so there are no steps to name.\n\n${LIMITS}`
  const files = Map.groupBy(findings, (finding) => finding.path)
  const steps = [...files.values()].toSorted((a, b) => order(a[0]!) - order(b[0]!)).map(([first]) => first!)
  const rows = steps.map((finding, i) => formatCitation(finding, stepFor(finding)).replace(/^-/, `${i + 1}.`))
  return [
    `The words of the task lead to ${amount(steps.length, 'file')}. Work through them in this order.`,
    rows.join('\n'),
    LIMITS,
  ].join('\n\n')
}

function order({ path }: Finding): number {
  const kind = fileKind(path)
  return kind === 'source' ? 0 : kind === 'config' ? 1 : kind === 'test' ? 2 : 3
}

function stepFor(finding: Finding): string {
  switch (fileKind(finding.path)) {
    case 'test':
      return 'extend this test so that it fails before the change and passes after it'
    case 'docs':
      return 'update the text to match the change'
    default:
      return `read ${baseName(finding.path)} around here and make the change where it fits`
  }
}

import { describe, expect, it } from 'vitest'
import type { Mechanism } from '../../support/faults.ts'
import { reportsIn, ScriptedTree, task, type Seen } from '../../support/scripted-tree.ts'

const MAX_REPORT_TOKENS = 1_000
const REPORT = `The first line.\n${'All that was found, at length. '.repeat(1_500)}\nThe last line.`

describe('P8: a long report', () => {
  it('stands in the parent’s context within its bound, and is read whole without a request more', async () => {
    expect(await reports()).toEqual([])
  })

  it('fails without its bound: it floods the context of the parent', async () => {
    expect(await reports('report-bound')).toEqual([
      expect.stringMatching(/^the parent’s context holds \d{5} characters of it$/),
    ])
  })
})

async function reports(off?: Mechanism): Promise<string[]> {
  const pages: string[] = []
  /** Reads on until there is no next page. */
  const readOn = ({ last }: Seen) => {
    const [[task_id, [page]]] = [...reportsIn(last)] as unknown as [[string, string[]]]
    if (last.includes('[characters')) pages.push(page!)
    const offset = Number(/go on with offset (\d+)/.exec(last)?.[1] ?? 0)
    if (pages.length > 0 && offset === 0) return { text: 'Done.' }
    return { toolCalls: [{ tool: 'task_output', input: { task_id, offset } }] }
  }
  await using tree = await ScriptedTree.open(
    {
      'Go.': [{ toolCalls: [task('a')] }, ...Array.from({ length: 12 }, () => readOn)],
      'Do a.': [{ toolCalls: [{ tool: 'list', input: {} }] }, { text: REPORT }],
    },
    { config: { limits: { maxReportTokens: MAX_REPORT_TOKENS } }, off },
  )
  expect(await tree.run()).toMatchObject({ status: 'completed', text: 'Done.' })
  const first = tree.of('Go.')[1]!.last
  const [[report = ''] = []] = reportsIn(first).values()
  expect(report).toContain('The first line.')
  expect(pages.join('')).toBe(REPORT)
  expect(tree.of('Do a.')).toHaveLength(2)
  if (report.length > MAX_REPORT_TOKENS * 4 + 100)
    return [`the parent’s context holds ${report.length} characters of it`]
  expect(report).toMatch(/\[… \d+ bytes left out; the full text is artifact art_\w+ …\][^]*The last line\.$/)
  expect(first).toContain('`task_output` with this task_id reads the whole.')
  return []
}

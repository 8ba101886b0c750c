import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { actor } from '../../../test/support/actor.ts'
import { beginsAfterMs, cutStore } from '../../../test/support/cut-store.ts'
import { temporaryFolder } from '../../../test/support/fresh-copy.ts'
import { agent, handClock, harness } from '../../../test/support/runtime-harness.ts'
import { editTool } from '../../tools/edit.ts'
import type { AnyTool } from '../../tools/port.ts'
import { workingTools } from '../../core/rules/tool-names.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { writeTool } from '../../tools/write.ts'

const INPUTS = {
  write: { file_path: 'a.txt', content: 'x' },
  edit: { file_path: 'a.txt', old_string: 'a', new_string: 'b' },
}
const named = (['write', 'edit'] as const).flatMap((name) =>
  [name, ...workingTools[name].aliases].map((alias) => [alias, INPUTS[name]] as const),
)
const layers = [{ name: 'all', rules: [{ tool: '*', action: 'allow' as const }] }]

/** Its process ends before it does. */
function endless(tool: AnyTool): AnyTool {
  return { ...tool, execute: () => new Promise<never>(() => {}) }
}

test.each(named)('what a call of %s left beside its effect is removed', async (name, input) => {
  const root = temporaryFolder('clean-up')
  const workspace = createWorkspace(root)
  const tools = [writeTool(), editTool()]
  const clock = handClock()
  const cast = actor(clock, { main: [{ calls: [[name, input] as const] }] })
  const store = cutStore()
  const more = { agents: [agent('main')], layers }
  const first = harness({ ...more, clock, model: cast.model, tools: tools.map(endless), store })
  await first.start('go', { workspace })
  await clock.settle()
  const left = await store.cut(store.commits)
  const [call] = left.find('tool_calls', { where: { status: 'running' } })
  const temporary = join(root, `.offshoot-${call!.id}.tmp`)
  writeFileSync(temporary, 'x')
  const second = harness({ ...more, clock: handClock(beginsAfterMs(left)), tools, store: left })
  await second.recover({ policy: 'pause', workspace })
  expect(existsSync(temporary)).toBe(false)
})

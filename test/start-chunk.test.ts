import { builtinModules } from 'node:module'
import { join, relative } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { builtinData } from '../scripts/builtin-data.mjs'
import { startChunk } from '../scripts/start-chunk.mjs'

const ROOT = join(import.meta.dirname, '..')

/** What few runs need, and which they load then. */
const LATER = [
  'node_modules/yaml/',
  'node_modules/smol-toml/',
  'node_modules/unbash/',
  'src/permissions/shell/',
  'src/agents/front-matter.ts',
  'src/agents/foreign/claude.ts',
]

test('what every run loads has no reader of agent files and of command lines (docs/decisions/0017)', async () => {
  const { plugin, codeSplitting } = startChunk(ROOT)
  const bundle = await rolldown({
    input: { offshoot: join(ROOT, 'src/cli/main.ts') },
    platform: 'node',
    plugins: [builtinData(), plugin],
    external: [...builtinModules, /^node:/, '@vscode/ripgrep'],
  })
  const { output } = await bundle.generate({ codeSplitting })
  await bundle.close()
  const chunks = output.flatMap((each) => (each.type === 'chunk' ? [each] : []))
  const filesOf = (isStart: boolean) =>
    chunks
      .filter(({ name }) => (name === 'start') === isStart)
      .flatMap(({ moduleIds }) => moduleIds.map((id) => relative(ROOT, id)))
  const isLater = (file: string) => LATER.some((place) => file.startsWith(place))
  expect(filesOf(true)).toContain('src/cli/commands/run.ts')
  expect(filesOf(true).filter(isLater)).toEqual([])
  expect(LATER.filter((place) => !filesOf(false).some((file) => file.startsWith(place)))).toEqual([])
}, 60_000)

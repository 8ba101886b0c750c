import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentPlaces } from '../src/agents/agent-locations.ts'
import { TestUser } from './support/test-user.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../docs/agent-files.md'), 'utf8')
const FILES = [...PAGE.matchAll(/^`([^`\n]+)`:\n\n```\w+\n([^]*?)^```/gm)].map(
  ([, path, text]) => [path!, text!] as const,
)
const COMMANDS = [...PAGE.matchAll(/^```sh\n([^]*?)^```/gm)].flatMap(([, body]) => body!.trim().split('\n'))

let user: TestUser
beforeAll(() => {
  user = new TestUser(Object.fromEntries(FILES))
})
afterAll(() => user.remove())

describe('docs/agent-files.md', () => {
  it('shows files that are read', async () => {
    const { code, stdout } = await user.call(['agents', 'check', '--json'])
    const { files } = JSON.parse(stdout) as { files: { path: string; status: string; ignored: string[] }[] }
    expect(
      files.map(({ path, status }) => [path.slice(user.directory.length + 1).replace(/ .*/, ''), status]),
    ).toEqual([
      ['.offshoot/agents/critic.md', 'ok'],
      ['.claude/agents/historian.md', 'ignored'],
      ['opencode.json', 'ok'],
      ['.codex/agents/reader.toml', 'ok'],
      ['.claude/skills/release/SKILL.md', 'ok'],
    ])
    expect(FILES).toHaveLength(files.length)
    expect(code).toBe(0)
  })

  it.each(COMMANDS)('%s', async (line) => {
    const { code, stdout } = await user.call(line.split(' ').slice(1))
    expect({ code, empty: stdout === '' }).toEqual({ code: 0, empty: false })
  })

  it('names every place that is looked at', () => {
    const places = agentPlaces({ project: '', home: '~', configHome: '$XDG_CONFIG_HOME' })
    for (const { path, kind } of places) {
      if (path.startsWith('$XDG_CONFIG_HOME/opencode') || path.startsWith('.opencode/opencode')) continue
      expect(PAGE, path).toContain(
        kind === 'file' ? `\`${path}\`` : `\`${path}/${kind === 'tree' ? '**/' : ''}*.`,
      )
    }
  })
})

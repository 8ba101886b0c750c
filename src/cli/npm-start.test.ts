import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestUser } from '../../test/support/test-user.ts'
import { programCommands } from '../../test/support/program-commands.ts'
import { commandPath } from './help.ts'
import { asStarted, refuseOptionsOfNpm } from './npm-start.ts'

const NPM = { npm_lifecycle_event: 'start', npm_package_name: 'offshoot' }

let user: TestUser
beforeAll(() => void (user = new TestUser()))
afterAll(() => user.remove())

describe('npm start in a clone', () => {
  it('names commands as they were typed', async () => {
    const env = { ...NPM, INIT_CWD: user.directory }
    const bare = await user.call(['continue'], { env })
    expect(bare.stderr).toContain('usage: npm start -- continue <id> [text]')
    const unknown = await user.call(['show', 'cnv_x'], { env })
    expect(unknown.stderr).toContain('\n  npm start -- ls lists the conversations\n')
    expect((await user.call(['show', 'cnv_x'])).stderr).toContain('\n  offshoot ls lists the conversations\n')
  })

  it.each([
    ['offshoot: resume it: offshoot continue cnv_1', 'offshoot: resume it: npm start -- continue cnv_1'],
    ['  offshoot "PROMPT" or offshoot --help', '  npm start -- "PROMPT" or offshoot --help'],
    ['denied: main: $ offshoot ls: no rule', 'denied: main: $ offshoot ls: no rule'],
    ['no offshoot serve is running', 'no offshoot serve is running'],
    ['offshoot: done', 'offshoot: done'],
  ])('%s', (text, shown) => {
    expect(asStarted(NPM, text)).toBe(shown)
    expect(asStarted({ ...NPM, npm_package_name: 'mine' }, text)).toBe(text)
  })

  it('says that npm has kept an option, and runs nothing', async () => {
    const env = { ...NPM, npm_config_mode: 'true', npm_config_max_turns: 'true' }
    expect(await user.call(['run', 'plan', '3', 'hello'], { env })).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'offshoot: npm kept --mode, --max-turns for itself\n  put -- after npm start: npm start -- COMMAND --mode …\n',
    })
  })

  const commands = programCommands()
  const names = new Set(commands.map((command) => commandPath(command).split(' ')[0]!))
  /** They say that they are not there yet, and no hint names them. */
  const LATER = new Set(['mcp', 'acp', 'bridge', 'worker'])

  it.each([...names].filter((name) => !LATER.has(name)))('%s is named as it was typed', (name) => {
    expect(asStarted(NPM, `  offshoot ${name} x`)).toBe(`  npm start -- ${name} x`)
  })

  /** A setting of npm: its value in a configuration of npm says nothing about us. */
  const OF_NPM = new Set(['json', 'yes', 'all', 'force', 'scope', 'version', 'help', 'verbose', 'debug'])
  const options = commands.flatMap((command) => command.options.flatMap(({ long }) => long ?? []))

  it.each([...new Set(options.map((long) => long.slice(2)))].filter((name) => !OF_NPM.has(name)))(
    '--%s is not lost to npm',
    (name) => {
      const env = { ...NPM, [`npm_config_${name.replaceAll('-', '_')}`]: 'true' }
      expect(() => refuseOptionsOfNpm(env)).toThrow(`npm kept --${name} for itself`)
    },
  )
})

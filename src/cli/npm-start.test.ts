import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestUser } from '../../test/support/test-user.ts'
import { asStarted } from './npm-start.ts'

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
})

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { inCell } from '../../test/support/in-cell.ts'
import { ServedUser } from '../../test/support/served-user.ts'
import { TestUser } from '../../test/support/test-user.ts'

const WHY = /keeps --sandbox required: a sandbox is required but not available: AppArmor restricts/

test(
  'a server wakes no conversation whose required sandbox is gone, and says why',
  inCell(async () => {
    const user = new TestUser()
    user.write('../.config/offshoot/config.jsonc', '{"sandbox": "off"}')
    const touch = { toolCalls: [{ tool: 'bash', input: { command: 'touch made' } }] }
    const model = user.script({ main: [{ text: 'One.' }, touch, { text: 'Two.' }] })
    const begun = await user.call(['run', 'Go.', '-m', model, '--sandbox', 'required', '--allow', 'bash'])
    expect(begun.code).toBe(0)
    const [{ id }] = user.rows('SELECT id FROM branches') as [{ id: string }]

    const bin = join(user.root, 'refusing')
    mkdirSync(bin)
    const script = `#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n`
    writeFileSync(join(bin, 'bwrap'), script, { mode: 0o755 })
    Object.assign(user.env, { PATH: `${bin}:${process.env['PATH'] ?? ''}` })
    const served = await ServedUser.start(user)
    onTestFinished(() => served.remove())
    const bodies = { messages: { text: 'Go on.' }, spawn: { task: 'Go on.' }, continue: {} }
    for (const [verb, body] of Object.entries(bodies)) {
      expect(await served.post(`/branches/${id}/${verb}`, body)).toMatchObject({
        status: 409,
        body: { error: { code: 'config', message: expect.stringMatching(WHY) } },
      })
    }
    expect(user.rows('SELECT id FROM runs')).toHaveLength(1)
    expect(existsSync(join(user.directory, 'made'))).toBe(false)
  }),
)

import { expect, test } from 'vitest'
import { callText, temporaryDirectory, testContext } from './fixtures/context.ts'

test('a ripgrep that cannot start is not reported as missing', async () => {
  await using at = await temporaryDirectory()
  const context = testContext(at.path, { processMarks: { MARK: 'x'.repeat(200_000) } })
  await expect(callText('grep', { pattern: 'x' }, context)).rejects.toMatchObject({
    name: 'ToolError',
    code: 'too_long',
    message: expect.stringContaining('its arguments are too long'),
  })
})

test.runIf(process.platform === 'linux')(
  'an unreadable file is not reported as an invalid pattern',
  async () => {
    await using at = await temporaryDirectory()
    expect(await callText('grep', { pattern: 'x', path: '/proc/self/mem' }, testContext(at.path))).toMatch(
      /^\(no match\)\n\(not searched: rg: .*\(os error \d+\)\)$/,
    )
  },
)

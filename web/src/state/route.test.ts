import { describe, expect, it } from 'vitest'
import { branchPath, parseRoute } from './route.ts'

const read = (path: string) => {
  const [pathname = '', hash = ''] = path.split(/(?=#)/)
  return parseRoute({ pathname, hash })
}

describe('an address', () => {
  it('names a conversation, its branch and a message', () => {
    expect(read(branchPath('cnv_1'))).toMatchObject({
      conversationId: 'cnv_1',
      branchId: null,
      messageId: null,
    })
    expect(read(branchPath('cnv_1', 'brn_2', 'msg_3'))).toMatchObject({
      conversationId: 'cnv_1',
      branchId: 'brn_2',
      messageId: 'msg_3',
      full: null,
    })
    expect(read('/c/cnv_1/timeline')).toMatchObject({ full: 'timeline' })
  })

  it('is home where it names nothing', () => {
    for (const path of ['/', '/c', '/c/', '/nowhere/at/all', '//evil.example'])
      expect(read(path)).toEqual({ page: 'home' })
  })

  it('survives what is no encoding, and keeps what is odd as text', () => {
    expect(read('/c/%E0%A4%A')).toMatchObject({ conversationId: '%E0%A4%A' })
    expect(branchPath('../x', '<b>')).toBe('/c/..%2Fx/b/%3Cb%3E')
  })

  it('falls back to the first tab of the settings', () => {
    expect(read('/settings/nothing')).toMatchObject({ page: 'settings', tab: 'agents' })
  })
})

import { describe, expect, it } from 'vitest'
import { branchPath, parseRoute } from './route.ts'

const read = (path: string) => {
  const [pathname = '', hash = ''] = path.split(/(?=#)/)
  return parseRoute({ pathname, hash })
}

describe('the route of an address', () => {
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

  it('is the home page if the address names nothing', () => {
    for (const path of ['/', '/c', '/c/', '/nowhere/at/all', '//evil.example'])
      expect(read(path)).toEqual({ page: 'home' })
  })

  it('accepts malformed encodings and keeps them as text', () => {
    expect(read('/c/%E0%A4%A')).toMatchObject({ conversationId: '%E0%A4%A' })
    expect(branchPath('../x', '<b>')).toBe('/c/..%2Fx/b/%3Cb%3E')
  })

  it('falls back to the first settings tab', () => {
    expect(read('/settings/nothing')).toMatchObject({ page: 'settings', tab: 'agents' })
  })
})

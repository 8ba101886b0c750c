import { describe, expect, it } from 'vitest'
import { newestOf, withToast, type ShownToast, type Toast } from './shown-toasts.ts'

describe('toasts', () => {
  it('show two at most and drop the oldest', () => {
    expect(textsAfter(done('a'), plain('b'), done('c'))).toEqual(['b', 'c'])
  })

  it('keep a failure when later actions succeed', () => {
    expect(textsAfter(failed('refused'), done('a'), done('b'), plain('c'))).toEqual(['c', 'refused'])
  })

  it('keep the last two failures and the last other toast', () => {
    expect(textsAfter(failed('x'), done('a'), failed('y'), failed('z'), done('b'))).toEqual(['b', 'y', 'z'])
  })

  it('announce the newest, wherever it is shown', () => {
    expect(newestOf(shownAfter(failed('refused'), done('a')))?.text).toBe('a')
    expect(newestOf([])).toBeUndefined()
  })
})

const done = (text: string): Toast => ({ text, tone: 'done' })
const plain = (text: string): Toast => ({ text, tone: 'plain' })
const failed = (text: string): Toast => ({ text, tone: 'failed' })

function shownAfter(...toasts: Toast[]): readonly ShownToast[] {
  return toasts.reduce<readonly ShownToast[]>((shown, toast, id) => withToast(shown, { ...toast, id }), [])
}

function textsAfter(...toasts: Toast[]): string[] {
  return shownAfter(...toasts).map(({ text }) => text)
}

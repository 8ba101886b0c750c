import { expect, it, vi } from 'vitest'
import { catchTyping } from './type-ahead.ts'

function press(target: EventTarget, key: string, more: object = {}): Event {
  const event = Object.assign(new Event('keydown', { cancelable: true }), { key, ...more })
  target.dispatchEvent(event)
  return event
}

it('collects typed text in order and hides it from all other listeners', () => {
  const target = new EventTarget()
  const typing = catchTyping(() => {}, target)
  const shortcut = vi.fn<() => void>()
  target.addEventListener('keydown', shortcut)
  for (const key of ['t', 'i', 'x', 'Backspace', 'm', ' ', 'Enter', 'ArrowDown', 'é', '🌱'])
    expect(press(target, key).defaultPrevented).toBe(true)
  expect(shortcut).not.toHaveBeenCalled()
  expect(typing.take()).toBe('tim é🌱')
})

it('ignores keys with Ctrl or ⌘, and input method composition', () => {
  const target = new EventTarget()
  const typing = catchTyping(() => {}, target)
  for (const more of [{ ctrlKey: true }, { metaKey: true }, { isComposing: true }])
    expect(press(target, 'k', more).defaultPrevented).toBe(false)
  expect(typing.take()).toBe('')
})

it('ends with Escape or when the text is taken', () => {
  const target = new EventTarget()
  const onEscape = vi.fn<() => void>()
  const typing = catchTyping(onEscape, target)
  press(target, 'Escape')
  expect(onEscape).toHaveBeenCalledOnce()
  typing.take()
  expect(press(target, 'a').defaultPrevented).toBe(false)
  expect(typing.take()).toBe('')
})

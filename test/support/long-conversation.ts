import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { ServedPage } from './browser.ts'

/** Into the store of the server; returns its id. */
export async function imported(served: ServedPage, conversation: object): Promise<string> {
  const file = join(served.user.root, 'conversation.json')
  writeFileSync(file, JSON.stringify(conversation))
  const { stdout } = await served.user.run(['import', file])
  return stdout.trim()
}

/** As `export` writes it: a person and an agent who take turns, and no run. */
export function longConversation(count: number): object {
  const messages = Array.from({ length: count }, (_, index) => {
    const content = `Message ${index}. ${'Some words of it, **bold** ones too. '.repeat(1 + (index % 7))}`
    const parts = [{ id: id('prt', index), type: 'text', text: content }]
    return { role: index % 2 ? 'assistant' : 'user', content, parts }
  })
  return conversationOf(messages)
}

/** With these messages on its main branch. */
export function conversationOf(said: readonly object[], runs: readonly object[] = []): object {
  const at = Date.now()
  const about = { created: at, updated: at }
  const messages = said.map((message, index) => ({ id: id('msg', index), ...message, created: at }))
  const metadata = { agent: 'main', label: 'main', runs }
  const main = { id: id('brn', 0), type: 'main', inheritContext: false, ...about, metadata }
  return { version: 2, id: id('cnv', 0), title: 'Long', directory: '/tmp', ...about, seq: 0, main, messages }
}

export function id(prefix: string, number: number): string {
  return `${prefix}_01${String(number).padStart(24, '0')}`
}

interface Scrolled {
  readonly frames: number
  /** Those over 50 ms. */
  readonly slow: number
  /** The first message that is in view at the end, and how many there are in the document. */
  readonly first: number
  readonly drawn: number
}

/** Scrolls up through what `longConversation` made until a thousand messages more are loaded, and measures each frame. */
export async function scrollUp(page: Page): Promise<Scrolled> {
  return await page.evaluate<Scrolled>(SCROLL)
}

const SCROLL = `new Promise((resolve) => {
  const box = document.querySelector('[data-transcript]')
  const firstShown = () => Number(/Message (\\d+)\\./.exec(box.textContent)?.[1] ?? 10000)
  let frames = 0, slow = 0, last = performance.now()
  const frame = (now) => {
    frames++
    if (now - last > 50) slow++
    last = now
    box.scrollTop -= 400
    const first = firstShown()
    if (first < 9000) resolve({ frames, slow, first, drawn: box.querySelectorAll('[data-index]').length })
    else requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
})`

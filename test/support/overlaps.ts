import type { Page } from 'playwright-core'

/**
 * What can be pressed and lies over something else that can be seen: another control, or a text that is not its own. Each
 * in words, with the pixels that they share. Notifications lie over the page for a while, and are left out.
 */
export async function overlapsOn(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`(${FIND})()`)
}

/** As text: the policy of the page allows no script of somebody else. Sizes in pixels. */
const FIND = `() => {
  const SLACK = 2
  const controls = [...document.querySelectorAll('button, a[href], input, textarea, select, [role=button]')]
  const isApart = (element) => element.closest('[aria-label=Notifications], .sr-only, [aria-hidden=true], [inert]')
  const clip = (rect, element) => {
    let { left, top, right, bottom } = rect
    for (let at = element; at; at = at.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(at)
      if (overflowX === 'visible' && overflowY === 'visible') continue
      const box = at.getBoundingClientRect()
      left = Math.max(left, box.left)
      top = Math.max(top, box.top)
      right = Math.min(right, box.right)
      bottom = Math.min(bottom, box.bottom)
    }
    left = Math.max(left, 0)
    top = Math.max(top, 0)
    right = Math.min(right, innerWidth)
    bottom = Math.min(bottom, innerHeight)
    return { left, top, right, bottom }
  }
  const isSeen = ({ left, top, right, bottom }) => right - left > SLACK && bottom - top > SLACK
  const boxes = controls
    .filter((element) => !isApart(element) && element.checkVisibility())
    .map((element) => ({ element, rect: clip(element.getBoundingClientRect(), element.parentElement) }))
  const texts = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement
    if (node.data.trim() === '' || isApart(element) || !element.checkVisibility()) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const rect of range.getClientRects()) texts.push({ element, text: node.data, rect: clip(rect, element) })
  }
  const shared = (a, b) => ({
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  })
  const nameOf = (element) =>
    element.getAttribute('aria-label') ?? element.innerText?.trim().slice(0, 60) ?? element.tagName
  const found = []
  for (const [at, { element, rect }] of boxes.entries()) {
    if (!isSeen(rect)) continue
    const others = [
      ...boxes.slice(at + 1).map((other) => ({ ...other, name: nameOf(other.element) })),
      ...texts.map((other) => ({ ...other, name: 'the text ' + JSON.stringify(other.text.slice(0, 60)) })),
    ]
    for (const other of others) {
      if (element.contains(other.element) || other.element.contains(element)) continue
      const both = shared(rect, other.rect)
      if (!isSeen(both)) continue
      const size = Math.round(both.right - both.left) + 'x' + Math.round(both.bottom - both.top)
      found.push(nameOf(element) + ' lies over ' + other.name + ' (' + size + ')')
    }
  }
  return found
}`

/** The page's icon, as in public/favicon.svg. */
const SIGN =
  '<rect width="32" height="32" rx="8" fill="#0f6b57"/><path d="M16 26V7M16 20c-5 0-8-2.5-8-7 5 0 8 2.5 8 7Zm0-4c4.5 0 7.5-2.2 7.5-6.5-4.7 0-7.5 2.3-7.5 6.5Z" fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/>'
/** Readable on light and dark tab bars. */
const NEEDS = '#b45309'
const RUNNING = '#1d4ed8'

/** Shows the counts of the Agents button in the tab icon: open asks, else running agents. */
export function showInFavicon(counts: { readonly needsYou: number; readonly running: number }): void {
  const link = document.querySelector('link[rel=icon]')
  link?.setAttribute('href', `data:image/svg+xml,${encodeURIComponent(pictureOf(counts))}`)
}

function pictureOf({ needsYou, running }: { readonly needsYou: number; readonly running: number }): string {
  const count = needsYou || running
  const colour = needsYou > 0 ? NEEDS : RUNNING
  const text = count > 9 ? '9+' : String(count)
  const badge = `<circle cx="21" cy="21" r="11" fill="${colour}" stroke="#fff" stroke-width="1.5"/><text x="21" y="26" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="${count > 9 ? 12 : 15}" fill="#fff">${text}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${SIGN}${count > 0 ? badge : ''}</svg>`
}

import { useSyncExternalStore } from 'react'

/** The routes: `/`, `/c/ID`, `/c/ID/b/BRANCH#MESSAGE`, `/c/ID/timeline`, `/settings/TAB`. */
export type Route =
  | { readonly page: 'home' }
  | {
      readonly page: 'conversation'
      readonly conversationId: string
      /** null: the main branch. */
      readonly branchId: string | null
      readonly messageId: string | null
      readonly full: 'timeline' | null
    }
  /** `item`: the name of an agent. */
  | { readonly page: 'settings'; readonly tab: SettingsTab; readonly item: string | null }

export const settingsTabs = [
  'agents',
  'models',
  'permissions',
  'limits',
  'sessions',
  'appearance',
  'shortcuts',
] as const
export type SettingsTab = (typeof settingsTabs)[number]

export function parseRoute({ pathname, hash }: { readonly pathname: string; readonly hash: string }): Route {
  const [first, second, third, fourth] = pathname.split('/').slice(1).map(decoded)
  if (first === 'settings')
    return {
      page: 'settings',
      tab: settingsTabs.find((tab) => tab === second) ?? 'agents',
      item: third || null,
    }
  if (first !== 'c' || !second) return { page: 'home' }
  return {
    page: 'conversation',
    conversationId: second,
    branchId: (third === 'b' && fourth) || null,
    messageId: hash.slice(1) || null,
    full: third === 'timeline' ? 'timeline' : null,
  }
}

export function branchPath(
  conversationId: string,
  branchId?: string | null,
  messageId?: string | null,
): string {
  const branch = branchId ? `/b/${encodeURIComponent(branchId)}` : ''
  const message = messageId ? `#${encodeURIComponent(messageId)}` : ''
  return `/c/${encodeURIComponent(conversationId)}${branch}${message}`
}

/**
 * Opens another page of the app. Stores the name of the focused element (`data-opener`) with the current page, so that
 * Back can restore the focus.
 */
export function navigate(path: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(history.state, '', path)
  else {
    const opener = document.activeElement?.closest<HTMLElement>('[data-opener]')?.dataset['opener']
    history.replaceState({ opener }, '')
    history.pushState(null, '', path)
  }
  for (const listener of listeners) listener()
}

/** The name of the element to focus on this page after Back. */
export function openerOfPage(): string | undefined {
  const state: unknown = history.state
  if (typeof state !== 'object' || state === null || !('opener' in state)) return undefined
  return typeof state.opener === 'string' ? state.opener : undefined
}

const listeners = new Set<() => void>()
let current = { key: '', route: parseRoute({ pathname: '/', hash: '' }) }

export function useRoute(): Route {
  return useSyncExternalStore(subscribe, currentRoute)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('popstate', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('popstate', listener)
  }
}

function currentRoute(): Route {
  const key = location.pathname + location.hash
  if (key !== current.key) current = { key, route: parseRoute(location) }
  return current.route
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

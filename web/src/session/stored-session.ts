/** The stored session of this origin. Each port is its own origin, so no other server can read it. */
export interface KnownSession {
  readonly id: string
  readonly token: string
}

export const STORAGE_KEY = 'offshoot.session'

/** Undefined: none, or the browser stores nothing. */
export function storedSession(): KnownSession | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null')
    return isSession(value) ? { id: value.id, token: value.token } : undefined
  } catch {
    return undefined
  }
}

/** Without storage, the sign-in lasts until the page is closed. */
export function storeSession(session: KnownSession | undefined): void {
  try {
    if (session) localStorage.setItem(STORAGE_KEY, JSON.stringify(session))
    else localStorage.removeItem(STORAGE_KEY)
  } catch {
    // storage is disabled
  }
}

function isSession(value: unknown): value is KnownSession {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('token' in value)) return false
  return typeof value.id === 'string' && typeof value.token === 'string'
}

/** Removes the key of a link from the address and the history. Undefined: there is none. */
export function takeKey(): string | undefined {
  const [, key] = /^#key=([\w-]+)$/.exec(location.hash) ?? []
  if (key !== undefined) history.replaceState(null, '', location.pathname + location.search)
  return key
}

/** What this origin keeps of a session. Each port is an origin of its own: no other server can read it. */
export interface KnownSession {
  readonly id: string
  readonly token: string
}

export const STORAGE_KEY = 'offshoot.session'

/** Undefined: there is none, or the browser keeps nothing. */
export function storedSession(): KnownSession | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null')
    return isSession(value) ? { id: value.id, token: value.token } : undefined
  } catch {
    return undefined
  }
}

/** A browser that keeps nothing is signed in until the page is closed. */
export function storeSession(session: KnownSession | undefined): void {
  try {
    if (session) localStorage.setItem(STORAGE_KEY, JSON.stringify(session))
    else localStorage.removeItem(STORAGE_KEY)
  } catch {
    // it keeps nothing
  }
}

function isSession(value: unknown): value is KnownSession {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('token' in value)) return false
  return typeof value.id === 'string' && typeof value.token === 'string'
}

/**
 * Takes the key of a link out of the address, so that it stands neither there nor in the history. Undefined: there is
 * none.
 */
export function takeKey(): string | undefined {
  const [, key] = /^#key=([\w-]+)$/.exec(location.hash) ?? []
  if (key !== undefined) history.replaceState(null, '', location.pathname + location.search)
  return key
}

import { createClient, type Client } from 'offshoot/client'
import { useSyncExternalStore } from 'react'
import { STORAGE_KEY, storedSession, storeSession, takeKey, type KnownSession } from './stored-session.ts'

/** Whether this browser is signed in. `why`: the reason if not; undefined if it never was. */
export type SessionState =
  | { readonly status: 'in' }
  | { readonly status: 'opening' }
  | { readonly status: 'out'; readonly why: string | undefined }

const ENDED = 'The session has ended: it was revoked, or it is older than 24 hours.'
const LEFT = 'You have signed out.'

const listeners = new Set<() => void>()
let current: KnownSession | undefined
let state: SessionState = { status: 'out', why: undefined }

/** The server of this page. Each call sends the browser's current token. */
export const pageClient: Client = createClient({
  baseUrl: '',
  token: () => current?.token,
  fetch: fetchAsSession,
})

/** Called once, before the first render. */
export function startSession(): void {
  adopt(storedSession(), undefined)
  addEventListener('storage', ({ key }) => {
    if (key === STORAGE_KEY || key === null) adopt(storedSession(), LEFT)
  })
  // a link opened in a tab of this page does not reload it
  addEventListener('hashchange', openLink)
  openLink()
}

export function useSession(): SessionState {
  return useSyncExternalStore(subscribe, () => state)
}

/** Ends the session here and in all other tabs, even if the server does not respond. */
export function signOut(): void {
  const session = current
  storeSession(undefined)
  adopt(undefined, LEFT)
  if (session) endAtServer(session)
}

function openLink(): void {
  const key = takeKey()
  if (key === undefined) return
  const before = current
  if (!before) publish({ status: 'opening' })
  createClient({ baseUrl: '' })
    .openSession(key)
    .then(
      ({ id, token }) => {
        storeSession({ id, token })
        adopt({ id, token }, undefined)
        if (before) endAtServer(before)
      },
      // a used link does not sign out a browser that is signed in
      (error: unknown) => !current && adopt(undefined, wordsOf(error)),
    )
}

async function fetchAsSession(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const asked = current
  const answer = await fetch(input, init)
  if (answer.status === 401 && asked !== undefined && asked === current) lose(asked)
  return answer
}

/** Another tab may have a newer one by now. */
function lose(lost: KnownSession): void {
  const stored = storedSession()
  if (stored && stored.token !== lost.token) return adopt(stored, undefined)
  storeSession(undefined)
  adopt(undefined, ENDED)
}

function adopt(session: KnownSession | undefined, why: string | undefined): void {
  if (session && session.token === current?.token) return
  current = session
  publish(session ? { status: 'in' } : { status: 'out', why })
}

/** With its own token. */
function endAtServer({ id, token }: KnownSession): void {
  createClient({ baseUrl: '', token }).endSession({ id }).catch(leaveToExpire)
}

/** Without a connection, the session ends at its expiry. */
function leaveToExpire(): void {}

function wordsOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return `Not signed in: ${text}.`
}

function publish(next: SessionState): void {
  state = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

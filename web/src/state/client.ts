import type { Client } from 'offshoot/client'
import { createContext, use } from 'react'
import { pageClient } from '../session/session.ts'

const ClientContext = createContext<Client>(pageClient)

/** The server of this page. */
export function useClient(): Client {
  return use(ClientContext)
}

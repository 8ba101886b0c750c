import type { Client } from 'offshoot/client'
import { createContext, use } from 'react'
import { pageClient } from '../session/session.ts'

const ClientContext = createContext<Client>(pageClient)

/** The client for the server that sent this page. */
export function useClient(): Client {
  return use(ClientContext)
}

import { createClient, type Client } from 'offshoot/client'
import { createContext, use } from 'react'

const ClientContext = createContext<Client>(createClient({ baseUrl: '' }))

/** The server that sent this page; its cookie is the way in. */
export function useClient(): Client {
  return use(ClientContext)
}

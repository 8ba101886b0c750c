/** Access to names and addresses. Only tests replace the system's. */
export interface Network {
  /** Every address of a name. Rejects if it has none. */
  resolve(name: string): Promise<readonly string[]>
  /** Where to connect for a checked address. */
  reach(address: string, port: number): HostAndPort
  /** Certificates trusted instead of the system's, PEM. */
  readonly trusted?: string
}

export interface HostAndPort {
  readonly host: string
  readonly port: number
}

/** The system's resolver, and direct connections. Ignores proxies of the environment. */
export const systemNetwork: Network = {
  resolve: async (name) => {
    const { lookup } = process.getBuiltinModule('node:dns/promises') // loaded late: few runs read pages
    return (await lookup(name, { all: true })).map(({ address }) => address)
  },
  reach: (host, port) => ({ host, port }),
}

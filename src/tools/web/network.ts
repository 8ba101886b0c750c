/** How names and addresses are reached. Only tests have another one than the system's. */
export interface Network {
  /** Every address of a name. Rejects when it has none. */
  resolve(name: string): Promise<readonly string[]>
  /** Where an address that was checked is connected to. */
  reach(address: string, port: number): HostAndPort
  /** Certificates that are trusted instead of the system's, PEM. */
  readonly trusted?: string
}

export interface HostAndPort {
  readonly host: string
  readonly port: number
}

/** The resolver of the system, and every address where it is. Proxies of the environment are not used. */
export const systemNetwork: Network = {
  resolve: async (name) => {
    const { lookup } = process.getBuiltinModule('node:dns/promises') // few runs read pages
    return (await lookup(name, { all: true })).map(({ address }) => address)
  },
  reach: (host, port) => ({ host, port }),
}

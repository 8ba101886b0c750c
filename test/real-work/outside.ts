import type { Network } from '../../src/tools/web/network.ts'

/**
 * The network of this machine for programs in a cell, whatever its resolver says of public names: in some networks it leads
 * to an address that is none, where a mirror or a proxy answers, and a cell refuses such addresses. Here each name has a
 * made-up public address, and a connection to it is one to the name.
 */
export function outside(elsewhere: Readonly<Record<string, number>> = {}): Network {
  const names: string[] = []
  return {
    resolve: (name) => {
      if (!names.includes(name)) names.push(name)
      return Promise.resolve([`93.184.216.${names.indexOf(name) + 1}`])
    },
    reach: (address, port) => {
      const name = names[Number(address.split('.')[3]) - 1]!
      const own = elsewhere[name]
      return own === undefined ? { host: name, port } : { host: '127.0.0.1', port: own }
    },
  }
}

import { isIP } from 'node:net'
import { ToolError } from '../port.ts'
import { refusedKind } from './address.ts'
import { untilAborted } from './deadline.ts'
import type { Network } from './network.ts'

/**
 * The addresses of a host, all of which must be public: to connect to these and look nothing up again.
 * @throws ToolError `address_refused`, `network`; errors of the resolver unchanged.
 */
export async function publicAddresses(
  host: string,
  network: Network,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await untilAborted(network.resolve(host), signal) : [host]
  if (addresses.length === 0) throw new ToolError('network', `${host}: unknown host`)
  const kind = addresses.map(refusedKind).find((each) => each !== null)
  if (kind === undefined) return addresses
  throw new ToolError('address_refused', `${host} leads to a ${kind} address; only public ones are fetched`)
}

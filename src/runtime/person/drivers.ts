import type { Driver } from '../../exec/lineage.ts'
import type { Reader } from '../../store/port.ts'
import { systemProcesses, isHere } from '../ownership/process-identity.ts'

/** The processes of this machine that drive a conversation of the store, or did. */
export function driversOf(reader: Reader): Driver[] {
  const processes = systemProcesses()
  return reader
    .find('leases', {})
    .filter((lease) => isHere(lease, processes))
    .map(({ pid, pidStart }) => ({ pid, startTime: String(pidStart) }))
}

/** Of the host, by their paths: sockets that a cell reaches as ports of its own loopback. */
export interface CellSockets {
  /** A proxy, on any port. */
  readonly proxy: string
  /** Services, by their ports. */
  readonly ports: ReadonlyMap<number, string>
}

const DIRECTORY = '/run/offshoot/network'

/** For bubblewrap. */
export function socketArguments({ proxy, ports }: CellSockets): string[] {
  return [['proxy', proxy] as const, ...ports].flatMap(([name, path]) => [
    '--ro-bind',
    path,
    `${DIRECTORY}/${name}`,
  ])
}

/** For the supervisor: where they are, and which are ports. */
export function socketNames(sockets: CellSockets | undefined): string[] {
  return sockets === undefined ? [] : [DIRECTORY, ...[...sockets.ports.keys()].map(String)]
}

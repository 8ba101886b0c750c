// What the program and the supervisor of a cell say to each other, over the two ends of a pipe. A frame is the length of what
// follows (4 bytes), a kind (1), the number of a command (4) and contents: JSON, or bytes of output.

/** From the program: `start`, `end`. From the supervisor: all others. */
export const FRAMES = {
  start: 1,
  end: 2,
  ready: 3,
  started: 4,
  failed: 5,
  output: 6,
  errorOutput: 7,
  outputEnd: 8,
  errorOutputEnd: 9,
  exited: 10,
} as const

export interface CellFrame {
  readonly kind: number
  readonly id: number
  readonly contents: Buffer
}

/** Contents of `start`. */
export interface CellCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /** For stdin; null: it is empty. */
  readonly input: string | null
}

const LENGTH_BYTES = 4
const HEAD_BYTES = 5

export function writeFrame(kind: number, id: number, contents: Buffer | object = {}): Buffer {
  const body = Buffer.isBuffer(contents) ? contents : Buffer.from(JSON.stringify(contents))
  const head = Buffer.allocUnsafe(LENGTH_BYTES + HEAD_BYTES)
  head.writeUInt32BE(HEAD_BYTES + body.length, 0)
  head.writeUInt8(kind, LENGTH_BYTES)
  head.writeUInt32BE(id, LENGTH_BYTES + 1)
  return Buffer.concat([head, body])
}

/** Takes what arrives, in pieces of any size. Throws for a frame that is too short or longer than `maxBytes`. */
export function createFrameReader(
  onFrame: (frame: CellFrame) => void,
  maxBytes: number,
): (chunk: Buffer) => void {
  let rest: Buffer[] = []
  let size = 0
  let wanted = LENGTH_BYTES
  return (chunk) => {
    rest.push(chunk)
    size += chunk.length
    if (size < wanted) return
    let all = Buffer.concat(rest)
    while (all.length >= LENGTH_BYTES) {
      const length = all.readUInt32BE(0)
      if (length < HEAD_BYTES || length > maxBytes) throw new Error(`a frame of ${length} bytes`)
      if (all.length < LENGTH_BYTES + length) break
      const body = all.subarray(LENGTH_BYTES, LENGTH_BYTES + length)
      all = all.subarray(LENGTH_BYTES + length)
      onFrame({ kind: body.readUInt8(0), id: body.readUInt32BE(1), contents: body.subarray(HEAD_BYTES) })
    }
    rest = [all]
    size = all.length
    wanted = LENGTH_BYTES + (size >= LENGTH_BYTES ? all.readUInt32BE(0) : 0)
  }
}

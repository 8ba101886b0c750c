import type { OptionTable } from './arguments.ts'
import { sortArguments } from './arguments.ts'
import type { Invocation, Reading } from './reading.ts'
import { merge, optionCautions, reading, unknownInner } from './reading.ts'

/** `-o`, `-F`, `-J`, `-S` and forwarding are not listed: they run programs, read configuration or open ports. */
const SSH: OptionTable = {
  flags: 'AaCfgKkMNnqsTtVvXxYy46G',
  values: 'b c i l m p e B P',
  ordered: true,
}

/** The words after the host are text for a shell on another machine. */
export function readSsh({ program, args }: Invocation): Reading {
  const found = sortArguments(args, SSH)
  const { unknown } = found
  return merge(
    optionCautions(program, unknown),
    found.operands.length > 1 || unknown.length > 0
      ? unknownInner('runs a command on another machine')
      : reading({}),
  )
}

import { Option, type Command } from 'commander'
import { OffshootError } from '../../core/errors.ts'
import type { Io } from '../io.ts'
import { OUTPUT_FORMATS, type OutputFormat } from './output-formats.ts'

interface Chosen {
  readonly rawOutput?: true
  readonly outputFormat?: OutputFormat
}

/** `--output-format`, and `--raw-output` for the answer as it is. */
export function addOutputOptions(command: Command, io: Io): Command {
  command.addOption(
    new Option('--output-format <format>', 'how to print the run').choices(OUTPUT_FORMATS).default('text'),
  )
  return addRawOption(command, io, 'the answer')
}

/** A terminal is refused: what is raw may be a command to it. */
export function addRawOption(command: Command, io: Io, what: string): Command {
  return command
    .option('--raw-output', `print ${what} unchanged, with control characters and secrets; not to a terminal`)
    .hook('preAction', (_, called) => checkRaw(called.opts<Chosen>(), io))
}

function checkRaw({ rawOutput, outputFormat = 'text' }: Chosen, { stdout }: Io): void {
  if (!rawOutput) return
  if (outputFormat !== 'text')
    throw new OffshootError('usage', '--raw-output works only with --output-format text', {
      hint: 'leave one of them out: JSON keeps every character anyway',
    })
  if (stdout.isTTY)
    throw new OffshootError('usage', '--raw-output does not write to a terminal', {
      hint: 'send it to a file or to another program: offshoot … --raw-output > FILE',
    })
}

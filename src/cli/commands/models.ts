import type { Command } from 'commander'
import { catalogue } from '../../model/models-and-prices.ts'
import { write, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'

export function modelsCommand(program: Command, io: Io): void {
  program
    .command('models')
    .description('list the models with a known window and price; others work too, as provider/model')
    .option('--json', 'one JSON object')
    .action(async ({ json }: { json?: true }) => {
      if (json) return write(io, jsonLine(catalogue))
      const lines = Object.entries(catalogue).map(
        ([id, { window, price }]) =>
          `${id.padEnd(32)} ${String(window ?? '?').padStart(9)} tokens  $${price?.input}/${price?.output} per million`,
      )
      lines.push(
        'offline                          rule-based search, not a language model',
        'scripted:FILE                    prepared answers',
      )
      await write(io, `${lines.join('\n')}\n`)
    })
}

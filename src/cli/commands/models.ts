import type { Command } from 'commander'
import { catalogue, modelInfo } from '../../model/models-and-prices.ts'
import { loadConfig } from '../../project/load-config.ts'
import type { Config } from '../../config/config-schema.ts'
import type { ModelInfo } from '../../model/port.ts'
import { write, type Io } from '../io.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { jsonLine } from '../terminal/json-line.ts'

export function modelsCommand(program: Command, io: Io): void {
  program
    .command('models')
    .description('list models with a known context window and price; others work too, as provider/model')
    .option('--json', 'print one JSON object')
    .action(async ({ json }: { json?: true }) => {
      const { prices } = loadConfig(io.cwd, io.env).config
      const models = knownModels(prices)
      if (json) return write(io, jsonLine(models))
      const lines = Object.entries(models).map(
        ([id, { window, price }]) =>
          `${terminalLine(id).padEnd(32)} ${String(window ?? '?').padStart(9)} tokens  $${price?.input}/${price?.output} per million`,
      )
      lines.push(
        'offline                          rule-based search, not a language model',
        'scripted:FILE                    prepared answers',
      )
      await write(io, `${lines.join('\n')}\n`)
    })
}

/** Those of the table and those with a price in the configuration, which comes first. */
function knownModels(
  prices: Config['prices'],
): Record<string, Pick<ModelInfo, 'window' | 'maxOutput' | 'price'>> {
  const ids = new Set([...Object.keys(catalogue), ...Object.keys(prices)])
  return Object.fromEntries(
    [...ids].map((id) => {
      const { window, maxOutput, price } = modelInfo(id, prices)
      return [id, { window, maxOutput, price }]
    }),
  )
}

import type { Command } from 'commander'
import { terminalLine } from '../../core/terminal-text.ts'
import { write, type Io } from '../io.ts'
import { openStore } from '../open-store.ts'

export function lsCommand(program: Command, io: Io): void {
  program
    .command('ls')
    .description('list the conversations, the latest first')
    .option('--json', 'one JSON array')
    .action(async ({ json }: { json?: true }) => {
      await using store = await openStore(io.env)
      const rows = store.find('conversations', { orderBy: 'updatedAt', descending: true })
      if (json) return await write(io.stdout, `${JSON.stringify(rows)}\n`)
      const lines = rows.map(
        ({ id, updatedAt, title }) =>
          `${id}  ${new Date(updatedAt).toISOString().slice(0, 16)}  ${terminalLine(title)}`,
      )
      await write(io.stdout, lines.map((line) => `${line}\n`).join(''))
    })
}

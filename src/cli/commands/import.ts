import type { Command } from 'commander'
import { open } from 'node:fs/promises'
import { statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { OffshootError } from '../../core/errors.ts'
import type { ConversationId } from '../../core/ids.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { ExportDocument } from '../../export/document.ts'
import { importConversation } from '../../export/import-conversation.ts'
import { MAX_EXPORT_BYTES, parseExport } from '../../export/parse-export.ts'
import { randomIds } from '../../runtime/log/new-id.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { write, writeStderr, type Io } from '../io.ts'
import { unreadableFile } from '../typed-path.ts'
import { openOrCreateStore } from '../open-store.ts'

export function importCommand(program: Command, io: Io): void {
  program
    .command('import')
    .description('add a conversation from an export; prints its id')
    .argument('<file>', 'a JSON export; - reads it from stdin')
    .action(async (file: string) => {
      const document = parseExport(decode(await readAll(file, io)))
      await using store = await openOrCreateStore(io)
      const known = store.get('conversations', document.id)
      const id = await importConversation(store, document, randomIds(systemClock))
      await write(io, `${id}\n`)
      for (const said of [
        ...aboutCopy(document, { id, isKnown: known !== undefined }),
        ...aboutDirectory(document, io),
      ])
        await writeStderr(io, `offshoot: ${said}\n`)
    })
}

/** Ids that are taken are replaced: a second import of a file, and one of a conversation that is here, make a copy. */
function aboutCopy({ id: named }: ExportDocument, { id, isKnown }: Imported): string[] {
  if (id === named) return []
  const why = isKnown ? `${named} of the file is here already` : 'ids of the file are taken here'
  return [`${why}; ${id} is a copy with new ids (offshoot rm ${id} deletes it)`]
}

interface Imported {
  readonly id: ConversationId
  /** Whether the conversation of the file was there before. */
  readonly isKnown: boolean
}

/** A file names the directory in which its conversation goes on: a reader who does not look inside learns of it here. */
function aboutDirectory({ directory }: ExportDocument, { cwd }: Io): string[] {
  const named = terminalLine(directory)
  if (!isDirectory(directory))
    return [
      `the file names the directory ${named}, which does not exist here; you can read and export the conversation, but it continues only where that directory exists`,
    ]
  if (createWorkspace(directory).root === createWorkspace(cwd).root) return []
  return [
    `the file names the directory ${named}, not the current one; runs of this conversation work there, with the configuration, agents and trust of that directory`,
  ]
}

function isDirectory(path: string): boolean {
  return isAbsolute(path) && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)
}

async function readAll(file: string, io: Io): Promise<Buffer> {
  if (file === '-') return await collect(io.stdin)
  try {
    await using handle = await open(resolve(io.cwd, file))
    return await collect(handle.createReadStream({ autoClose: false }))
  } catch (cause) {
    if (cause instanceof OffshootError) throw cause
    throw unreadableFile(file, cause)
  }
}

/** Stops at the bound, so that an endless stream is no reason to run out of memory. */
async function collect(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk as Uint8Array))
    size += chunks.at(-1)!.length
    if (size > MAX_EXPORT_BYTES)
      throw new OffshootError(
        'usage',
        `the export has more than ${MAX_EXPORT_BYTES / 1024 / 1024} MiB, the limit of import`,
      )
  }
  return Buffer.concat(chunks)
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new OffshootError('usage', 'the export is damaged: it is not UTF-8 text', { cause })
  }
}

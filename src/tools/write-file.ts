import type { Stats } from 'node:fs'
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { CallId } from '../core/ids.ts'
import { checkUnmasked } from './masked-text.ts'
import { openDirectory } from './open-file.ts'
import { ToolError, type FileStamp, type ResolvedPath, type ToolContext } from './port.ts'
import { readBytes, stampOf } from './read-file.ts'
import { namedFileError } from './path-target.ts'
import { unknownLines, type ChangedLines } from './unified-diff.ts'

export interface CurrentFile {
  readonly bytes: Buffer
  readonly stamp: FileStamp
  readonly stats: Stats
}

/** What stands at a path now; undefined when nothing does. @throws ToolError as `readBytes`. */
export async function readCurrent(target: ResolvedPath): Promise<CurrentFile | undefined> {
  try {
    return await readBytes(target)
  } catch (error) {
    if (error instanceof ToolError && error.code === 'not_found') return undefined
    throw error
  }
}

/** @throws ToolError unless this branch has read the file as it is now. */
export function checkSeen(target: ResolvedPath, current: CurrentFile, context: ToolContext): void {
  const seen = context.files.seen(target.absolute)
  if (!seen) {
    throw new ToolError(
      'not_read',
      `${target.relative} exists and you have not read it yet`,
      'Read it first, then call again.',
    )
  }
  if (seen.hash !== current.stamp.hash) {
    throw new ToolError(
      'changed_since_read',
      `${target.relative} changed since you read it`,
      'Read it again, look at what changed, and base your call on the new text.',
    )
  }
}

export interface Replacement {
  readonly bytes: Buffer
  /** What it replaces; undefined: a new file. */
  readonly current?: CurrentFile | undefined
  readonly lines?: ChangedLines
}

/**
 * Puts bytes at a path as a whole: a reader sees the old file or the new one. Keeps mode and owner of the old one, makes
 * missing directories, and never writes through a link that was put in the way. Records the new stamp, and the receipt.
 */
export async function replaceFile(
  target: ResolvedPath,
  { bytes, current, lines = unknownLines }: Replacement,
  context: ToolContext,
): Promise<void> {
  checkUnmasked(bytes, current?.bytes)
  const directory = await makeDirectory(dirname(target.absolute), dirname(target.relative))
  const temporary = join(directory.handlePath, temporaryName(context.run.callId))
  try {
    await rm(temporary, { force: true }) // of an attempt whose process has ended
    const stamp = await writeNew(temporary, bytes, current?.stats)
    context.signal.throwIfAborted()
    await rename(temporary, join(directory.handlePath, basename(target.absolute)))
    await syncDirectory(directory.handle)
    context.files.record(target.absolute, stamp)
    const hashes = { before: current?.stamp.hash ?? null, after: stamp.hash }
    context.receipt?.({ type: 'changed', path: target.absolute, ...hashes, ...lines })
  } catch (error) {
    throw namedFileError(error, target.relative)
  } finally {
    await rm(temporary, { force: true })
    await directory.handle.close()
  }
}

/** Removes the file under which a call writes, where its process has ended before it was renamed. */
export async function removeTemporary({ absolute, relative }: ResolvedPath, callId: CallId): Promise<void> {
  const directory = await openDirectory(dirname(absolute), dirname(relative))
  try {
    await rm(join(directory.handlePath, temporaryName(callId)), { force: true })
  } finally {
    await directory.handle.close()
  }
}

/** Of a call: whoever recovers it finds the file again. */
function temporaryName(callId: CallId): string {
  return `.offshoot-${callId}.tmp`
}

/** Without it a loss of power may take back the new name, though the bytes are on disk. */
async function syncDirectory(handle: FileHandle): Promise<void> {
  try {
    await handle.sync()
  } catch (error) {
    if (!NO_SYNC.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** What file systems answer that have no sync for directories. */
const NO_SYNC: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'EPERM', 'EBADF'])

async function writeNew(path: string, bytes: Buffer, old: Stats | undefined): Promise<FileStamp> {
  const handle = await open(path, 'wx')
  try {
    await handle.writeFile(bytes)
    if (old) await copyRights(handle, old)
    await handle.datasync()
    return stampOf(bytes, (await handle.stat()).mtimeMs)
  } finally {
    await handle.close()
  }
}

/** Only root may give a file to its old owner; for anybody else it becomes theirs. */
async function copyRights(handle: FileHandle, old: Stats): Promise<void> {
  if (process.getuid?.() === 0) await handle.chown(old.uid, old.gid)
  await handle.chmod(old.mode & 0o7777)
}

/** Opens a directory, making what is missing name by name from one that was checked. */
async function makeDirectory(absolute: string, name: string): ReturnType<typeof openDirectory> {
  try {
    return await openDirectory(absolute, name)
  } catch (error) {
    const parent = dirname(absolute)
    if (!(error instanceof ToolError) || error.code !== 'not_found' || parent === absolute) throw error
  }
  const parent = await makeDirectory(dirname(absolute), dirname(name))
  try {
    await mkdir(join(parent.handlePath, basename(absolute)))
    await syncDirectory(parent.handle)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw namedFileError(error, name)
  } finally {
    await parent.handle.close()
  }
  return openDirectory(absolute, name)
}

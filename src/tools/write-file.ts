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

/** The content at a path; undefined if nothing exists there. @throws ToolError like `readBytes`. */
export async function readCurrent(target: ResolvedPath): Promise<CurrentFile | undefined> {
  try {
    return await readBytes(target)
  } catch (error) {
    if (error instanceof ToolError && error.code === 'not_found') return undefined
    throw error
  }
}

/** @throws ToolError unless this branch has read the file in its current state. */
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
  /** The replaced content; undefined: a new file. */
  readonly current?: CurrentFile | undefined
  readonly lines?: ChangedLines
}

/**
 * Atomically replaces a file: readers see the old or the new one. Keeps its mode and owner, creates missing
 * directories, and never writes through a link. Records the new stamp, and the receipt.
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
    await rm(temporary, { force: true }) // left by an attempt whose process exited
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

/** Removes a call's temporary file if its process exited before the rename. */
export async function removeTemporary({ absolute, relative }: ResolvedPath, callId: CallId): Promise<void> {
  const directory = await openDirectory(dirname(absolute), dirname(relative))
  try {
    await rm(join(directory.handlePath, temporaryName(callId)), { force: true })
  } finally {
    await directory.handle.close()
  }
}

/** Derived from the call's id, so that recovery finds the file. */
function temporaryName(callId: CallId): string {
  return `.offshoot-${callId}.tmp`
}

/** Without this, a power loss may undo the rename although the bytes are on disk. */
async function syncDirectory(handle: FileHandle): Promise<void> {
  try {
    await handle.sync()
  } catch (error) {
    if (!NO_SYNC.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Errors of file systems that cannot sync directories. */
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

/** Only root can restore the previous owner; otherwise the current user owns the file. */
async function copyRights(handle: FileHandle, old: Stats): Promise<void> {
  if (process.getuid?.() === 0) await handle.chown(old.uid, old.gid)
  await handle.chmod(old.mode & 0o7777)
}

/** Opens a directory, creating missing names one by one below a checked one. */
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

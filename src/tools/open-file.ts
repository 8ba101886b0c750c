import { constants, type Stats } from 'node:fs'
import { lstat, open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { ToolError, type ResolvedPath } from './port.ts'
import { namedFileError, pathChanged } from './path-target.ts'

export interface OpenedFile {
  readonly handle: FileHandle
  readonly stats: Stats
}

/**
 * Opens a regular file for reading, and checks on the open file that it is the one that was decided on: a link may have
 * been created since. The caller closes the handle. @throws ToolError `not_found`, `is_directory`, `not_a_file`,
 * `path_changed`, `not_permitted`.
 */
export async function openFile(target: ResolvedPath): Promise<OpenedFile> {
  const handle = await openNode(target.absolute, target.relative, constants.O_RDONLY)
  try {
    const stats = await handle.stat()
    if (stats.isDirectory())
      throw new ToolError(
        'is_directory',
        `${target.relative} is a directory; use list or glob to look into it`,
      )
    if (!stats.isFile()) throw notAFile(target.relative)
    return { handle, stats }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Like `openFile`, for a directory. On Linux, operations through `handlePath` stay in this very directory. */
export async function openDirectory(
  absolute: string,
  name: string,
): Promise<{ handle: FileHandle; handlePath: string }> {
  const standing = await stat(absolute).catch(() => undefined)
  if (standing?.isFile()) throw new ToolError('is_file', `${name} is a file, not a directory`)
  const handle = await openNode(absolute, name, constants.O_RDONLY | constants.O_DIRECTORY)
  return { handle, handlePath: process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : absolute }
}

function notAFile(name: string): ToolError {
  return new ToolError('not_a_file', `${name} is a socket, a pipe or a device, not a file`)
}

/** Never blocks on a pipe, and never follows a link in the last component. */
async function openNode(absolute: string, name: string, flags: number): Promise<FileHandle> {
  try {
    const before = await stat(absolute)
    if (!before.isFile() && !before.isDirectory()) throw notAFile(name)
    const handle = await open(absolute, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (await isAt(handle, absolute)) return handle
    await handle.close()
  } catch (error) {
    // the resolved path has no links, so a link there now is new
    if (!(await isLink(absolute))) throw namedFileError(error, name)
  }
  throw pathChanged(name)
}

function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  )
}

/** Whether the open file is the one at this path, without links on the way. */
async function isAt(handle: FileHandle, absolute: string): Promise<boolean> {
  if (process.platform === 'linux') return (await readlink(`/proc/self/fd/${handle.fd}`)) === absolute
  if ((await realpath(absolute)) !== absolute) return false
  const [opened, standing] = [await handle.stat(), await stat(absolute)]
  return opened.dev === standing.dev && opened.ino === standing.ino
}

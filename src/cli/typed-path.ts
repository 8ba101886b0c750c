import { InvalidArgumentError, type Argument, type Command, type Option } from 'commander'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { OffshootError } from '../core/errors.ts'
import { fileErrorWords } from '../core/file-error-words.ts'
import { terminalLine } from '../core/terminal-text.ts'
import { allCommands } from './help.ts'
import type { Io } from './io.ts'

/** For a file that a person named. */
export function unreadableFile(typed: string, cause: unknown): OffshootError {
  const message = `${terminalLine(typed.slice(0, 200))} cannot be read: ${fileErrorWords(cause)}`
  return new OffshootError('usage', message, { hint: 'check the path', cause })
}

/** @throws OffshootError `usage` for a path that names nothing. */
export function isTypedDirectory(typed: string, { cwd }: Pick<Io, 'cwd'>): boolean {
  try {
    return statSync(resolve(cwd, typed)).isDirectory()
  } catch (cause) {
    throw unreadableFile(typed, cause)
  }
}

/** An empty path, as of a variable that is not set, would mean the current directory: to `trust` too. */
export function refuseEmptyPaths(program: Command): void {
  for (const command of allCommands(program))
    for (const each of [...command.options, ...command.registeredArguments])
      if (!each.variadic && !each.parseArg && isPath(each)) each.argParser(namedPath)
}

function isPath(each: Option | Argument): boolean {
  const name = 'flags' in each ? (/[<[](\w+)[\]>]/.exec(each.flags)?.[1] ?? '') : each.name()
  return ['dir', 'file', 'path'].includes(name)
}

function namedPath(typed: string): string {
  if (typed.trim() === '') throw new InvalidArgumentError('The path is empty. Name one, or leave it out.')
  return typed
}

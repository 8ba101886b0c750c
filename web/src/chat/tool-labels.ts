import { changingTools, splitPatch, type CallEnd } from 'offshoot/client'
import type { ToolEntry } from './transcript-items.ts'

/** `Read` and `lib/auth.ts:1-80`: action and target. Tools provide the title; a command has the verb `$`. */
export function titleOf({ part, call }: ToolEntry): { readonly verb: string; readonly target: string } {
  const title = call?.title ?? part.tool
  const space = title.indexOf(' ')
  return space < 0
    ? { verb: title, target: '' }
    : { verb: title.slice(0, space), target: title.slice(space + 1) }
}

/** Label of an outcome other than success; undefined: the line says enough. */
export function wordOf({ kind, words }: CallEnd): string | undefined {
  if (kind === 'awaiting_approval') return 'needs you'
  return kind === 'pending' || kind === 'running' || kind === 'completed' ? undefined : words
}

interface Change {
  readonly patch: string
  /** The tool's report of a finished change; undefined: only requested, or a whole new file. */
  readonly words: string | undefined
}

/** The change of a call: as made, with line numbers; before that, as requested. */
export function changeOf({ part, result }: ToolEntry): Change | undefined {
  if (!changingTools.has(part.tool)) return undefined
  const made = result?.status === 'completed' ? splitPatch(result.output.text) : undefined
  if (made) return made
  const text = (key: string) => textIn(part.input, key)
  const name = text('file_path') ?? text('path') ?? ''
  const [before, after, content] = [text('old_string'), text('new_string'), text('content')]
  if (part.tool === 'edit' && before !== undefined && after !== undefined)
    return { patch: patchOf(name, '@@ @@', diffOf(before, after)), words: undefined }
  if (part.tool !== 'write' || content === undefined) return undefined
  const lines = content.replace(/\n$/, '').split('\n')
  const hunk = `@@ -0,0 +1,${lines.length} @@`
  return { patch: patchOf(name, hunk, marked('+', lines)), words: undefined }
}

function patchOf(name: string, hunk: string, lines: string): string {
  return `--- a/${name}\n+++ b/${name}\n${hunk}\n${lines}`
}

/** Both texts line by line, with common lines at both ends merged. */
function diffOf(before: string, after: string): string {
  const [a, b] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return [
    marked(' ', a.slice(0, start)),
    marked('-', a.slice(start, a.length - end)),
    marked('+', b.slice(start, b.length - end)),
    marked(' ', a.slice(a.length - end)),
  ]
    .filter((text) => text !== '')
    .join('\n')
}

function marked(mark: string, lines: readonly string[]): string {
  return lines.map((line) => mark + line).join('\n')
}

export function firstLine(text: string): string {
  const at = text.indexOf('\n')
  return at < 0 ? text : text.slice(0, at)
}

/** The input for people: a command or a single text unchanged, otherwise JSON. */
export function shownInput({ part }: ToolEntry): string {
  if (part.invalid !== undefined) return part.invalid
  const command = part.tool === 'bash' ? textIn(part.input, 'command') : undefined
  return command ?? JSON.stringify(part.input, null, 2)
}

function textIn(input: unknown, key: string): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const value: unknown = Object.getOwnPropertyDescriptor(input, key)?.value
  return typeof value === 'string' ? value : undefined
}

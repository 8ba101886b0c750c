import { createHash } from 'node:crypto'

/** Files by their name, as they are to be stored. */
export type Files = ReadonlyMap<string, string>

/** What a conversation shows, file by file. */
export class Recording {
  readonly #files = new Map<string, string>()
  readonly #machine: readonly (readonly [string, string])[]

  /** `machine`: paths of this machine, and what stands for them. */
  constructor(machine: readonly (readonly [string, string])[]) {
    this.#machine = machine
  }

  get files(): Files {
    return this.#files
  }

  /** As it is stored. */
  stored(text: string): string {
    return counted(withoutStylesheet(withoutMachine(text, this.#machine)))
  }

  text(name: string, text: string): void {
    if (this.#files.has(name)) throw new Error(`${name} is recorded twice`)
    this.#files.set(name, this.stored(text))
  }

  append(name: string, text: string): void {
    this.#files.set(name, (this.#files.get(name) ?? '') + this.stored(text))
  }

  lines(name: string, values: readonly unknown[]): void {
    this.text(name, values.map((value) => `${JSON.stringify(value)}\n`).join(''))
  }

  /** What stands in `events.sse` is not written out again elsewhere: `#12` is the event with that seq, byte by byte. */
  shorten(): void {
    const known = knownEvents(this.#files.get(EVENTS) ?? '')
    for (const [name, text] of this.#files)
      if (name !== EVENTS && /\.(sse|jsonl)$/.test(name)) this.#files.set(name, shortened(text, known))
  }

  json(name: string, value: unknown): void {
    this.text(name, readable(JSON.stringify(value)))
  }
}

const EVENTS = 'events.sse'

/** The JSON of each event by its number. */
function knownEvents(text: string): ReadonlyMap<number, string> {
  const frames = text.matchAll(/^id: (\d+)\nevent: .*\ndata: (.*)$/gm)
  return new Map([...frames].map(([, seq, json]) => [Number(seq), json!]))
}

function shortened(text: string, known: ReadonlyMap<number, string>): string {
  const short = (line: string) => {
    const [, field = '', json = ''] = /^(data: )?(.*)$/.exec(line) ?? []
    return field + (json.startsWith('{"') ? shortEvent(json, known) : json)
  }
  return text.split('\n').map(short).join('\n')
}

/** With the names of the fields where only their order is another one. */
function shortEvent(json: string, known: ReadonlyMap<number, string>): string {
  const event = JSON.parse(json) as Readonly<Record<string, unknown>>
  const seq = Number(event['seq'])
  const stored = known.get(seq)
  if (stored === undefined || stored === json) return stored === undefined ? json : `#${seq}`
  const values = JSON.parse(stored) as Readonly<Record<string, unknown>>
  const fields = Object.keys(event)
  const again = JSON.stringify(Object.fromEntries(fields.map((field) => [field, values[field]])))
  return again === json ? `#${seq} ${fields.join(' ')}` : json
}

/** Each exported page carries the same stylesheet: its hash stands for it. */
function withoutStylesheet(text: string): string {
  return text.replace(/(?<=<style>)[^]*?(?=<\/style>)/g, (css) => {
    return `sha256 ${createHash('sha256').update(css).digest('hex')}`
  })
}

/** Of an output that has to be long. */
export const LONG_LINE = 'a line of a long output, which goes to an artifact\n'

/** Lines of a long output are counted instead of written out. */
function counted(text: string): string {
  const line = LONG_LINE.trimEnd()
  return text.replaceAll(new RegExp(`(?:${line}(?:\n|\\\\n)){2,}`, 'g'), (lines) => {
    const count = lines.split(line).length - 1
    return `${line} (${count} times)${lines.slice(lines.lastIndexOf(line) + line.length)}`
  })
}

/** The directory of a test lies elsewhere each time; nothing else is replaced. */
function withoutMachine(text: string, machine: readonly (readonly [string, string])[]): string {
  return machine.reduce((before, [path, name]) => before.replaceAll(path, name), text)
}

/**
 * JSON in lines that people can read, where that loses nothing: written as one line again it is the same text, byte by
 * byte. Any other text stays as it is.
 */
export function readable(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text.trimEnd() ? `${inLines(value, '')}\n` : text
  } catch {
    return text
  }
}

const LINE_CHARS = 300

/** What fits on a line stands on one. */
function inLines(value: unknown, indent: string): string {
  const line = JSON.stringify(value)
  if (line.length + indent.length <= LINE_CHARS || typeof value !== 'object' || value === null) return line
  const inner = `${indent} `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const items = Array.isArray(value)
    ? value.map((each) => inLines(each, inner))
    : Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${inLines(each, inner)}`)
  return `${open}\n${items.map((item) => inner + item).join(',\n')}\n${indent}${close}`
}

/** The command line reads SQLite alone. */
export function isOfCommands(name: string): boolean {
  return name === 'commands.txt' || name.startsWith('export-by-command.')
}

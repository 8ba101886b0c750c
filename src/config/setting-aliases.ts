import { OffshootError } from '../core/errors.ts'
import type { JsonSchema } from '../core/agent.ts'

type Path = readonly PropertyKey[]
type RawConfig = { [key: string]: unknown }

interface Spelling {
  readonly from: Path
  readonly to: Path
  readonly value?: (given: unknown) => unknown
  /** Whether it is meant; default: where it is given. */
  readonly is?: (given: unknown) => boolean
}

/** Names for the only supported directory mode. Others are refused in the file's own words. */
const ONE_DIRECTORY: readonly unknown[] = ['same', 'shared', 'parent']

/** Other names and shapes of our settings: those of other programs, and the short form of `sandbox`. */
const SPELLINGS: readonly Spelling[] = [
  { from: ['subagents', 'maxConcurrent'], to: ['limits', 'maxConcurrent'] },
  { from: ['subagents', 'defaultCli'], to: ['subagents', 'backend'] },
  { from: ['subagents', 'announceFormat'], to: ['announce'] },
  {
    from: ['subagents', 'workingDir'],
    to: ['subagents', 'isolation'],
    value: (given) => (ONE_DIRECTORY.includes(given) ? 'none' : given),
  },
  { from: ['sandbox'], to: ['sandbox', 'mode'], is: (given) => !isPlainObject(given) },
]

/** The same for editors. */
export const subagentSpellings: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  SPELLINGS.filter(({ from }) => from[0] === 'subagents').map(({ from, to }) => [
    from.at(-1)!,
    { description: `the same as ${to.join('.')}` },
  ]),
)

export interface Respelled {
  readonly values: RawConfig
  /** The spelling of a path in `values`. */
  readonly written: (path: Path) => Path
}

/** Converts to our spelling. @throws OffshootError `config` if two spellings of one setting differ. */
export function respelled(values: RawConfig, where: (path: Path) => string): Respelled {
  const copy = structuredClone(values)
  const moved = new Map<string, Path>()
  for (const { from, to, value = (same: unknown) => same, is = () => true } of SPELLINGS) {
    const given = at(copy, from)
    if (given === undefined || !is(given)) continue
    const ours = at(copy, to)
    const meant = value(given)
    if (ours !== undefined && JSON.stringify(ours) !== JSON.stringify(meant))
      throw new OffshootError(
        'config',
        `${where(from)}: ${from.join('.')} and ${to.join('.')} are the same setting but differ; keep one of them`,
      )
    remove(copy, from)
    put(copy, to, meant)
    moved.set(to.join('.'), from)
  }
  return { values: copy, written: (path) => moved.get(path.join('.')) ?? path }
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function at(values: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined) return values
  if (typeof values !== 'object' || values === null || !Object.hasOwn(values, name)) return undefined
  return at((values as Record<PropertyKey, unknown>)[name], rest)
}

function remove(values: RawConfig, path: Path): void {
  delete (at(values, path.slice(0, -1)) as Record<PropertyKey, unknown>)[path.at(-1)!]
}

function put(values: RawConfig, [name, ...rest]: Path, value: unknown): void {
  const key = String(name)
  if (rest.length === 0) values[key] = value
  else {
    const inner = values[key]
    if (inner !== undefined && (typeof inner !== 'object' || inner === null)) return // refused as it is
    values[key] ??= {}
    put(values[key] as RawConfig, rest, value)
  }
}

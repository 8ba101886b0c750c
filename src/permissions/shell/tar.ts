import type { OptionTable } from './arguments.ts'
import { sortArguments } from './arguments.ts'
import type { Field, FileUse } from './field.ts'
import { isStatic, startsUnknown, staticField, withinField } from './field.ts'
import type { Invocation, Reading } from './reading.ts'
import { caution, merge, optionCautions, reading, unknownInner, uses } from './reading.ts'
import { REACHES_ANYTHING } from './mentioned-files.ts'
import { HERE, walkUses } from './directory-walks.ts'

/** A list of names (`-T`) may contain options, and `--to-command` and the like run programs: neither is listed. */
const TAR: OptionTable = {
  flags: 'cxtruAdvzjJZahpkmlwoOnsSGBWRi',
  longs: `create extract get list append update catenate concatenate diff compare delete verbose gzip bzip2 xz lzma lzop zstd
    lzip compress auto-compress dereference hard-dereference preserve-permissions same-permissions no-same-permissions
    same-owner no-same-owner numeric-owner keep-old-files skip-old-files keep-newer-files touch one-file-system
    to-stdout sparse totals exclude-vcs exclude-vcs-ignores exclude-backups exclude-caches wildcards no-wildcards anchored
    no-anchored ignore-case no-ignore-case no-recursion recursion null verify utc full-time checkpoint help version usage
    force-local block-number ignore-zeros seek interactive confirmation warning sort show-transformed-names
    quoting-style record-size delay-directory-restore warning acls xattrs selinux no-acls no-xattrs no-selinux`,
  values: `f b L H K N g C V X file blocking-factor tape-length format starting-file newer after-date newer-mtime
    strip-components mode mtime owner group exclude level label pax-option directory exclude-from occurrence exclude-tag
    listed-incremental`,
}

/** Old-style letters (`tar cfI out.tar xz dir`) that take the following words as values, in order. */
const VALUED = 'fbLHKNgCVXITF'

/** Archives: the one that `-f` names, the files packed into it, and the files unpacked from it. */
export function readTar({ program, args }: Invocation): Reading {
  const found = sortArguments(modern(args), TAR)
  const has = (names: string) => found.options.some(({ name }) => names.split(' ').includes(name))
  const valuesOf = (names: string) =>
    found.options.flatMap(({ name, value }) => (value && names.split(' ').includes(name) ? [value] : []))
  const archives = valuesOf('-f --file')
  const extracts = has('-x --extract --get')
  const writes = has('-c -r -u -A --create --append --update --catenate --concatenate --delete')
  return merge(
    optionCautions(program, found.unknown),
    found.unknown.length > 0 ? unknownInner('has an option of tar that may run a program') : reading({}),
    found.doubtful || args.some((field) => field.glob && /^[*?[]/.test(field.text))
      ? caution('has a word that may become an option')
      : reading({}),
    extracts && !has('-O --to-stdout')
      ? caution('unpacks files to paths that the archive chooses')
      : reading({}),
    archives.some(isRemote) ? unknownInner('names an archive on another machine') : reading({}),
    uses(
      writes ? 'write' : 'read',
      archives.filter(({ text }) => text !== '-'),
    ),
    uses('write', extracts ? valuesOf('-C --directory') : []),
    reading({ files: extracts && !has('-O --to-stdout') ? unpacked(valuesOf('-C --directory')) : [] }),
    uses('read', [...found.reads, ...valuesOf('-X --exclude-from -g --listed-incremental')]),
    reading({ files: packed(writes, found.operands, valuesOf('-C --directory')) }),
  )
}

/** Rewrites the old style as separate options. */
function modern(args: readonly Field[]): readonly Field[] {
  const [first, ...rest] = args
  if (first === undefined || !isStatic(first) || !/^[a-zA-Z]+$/.test(first.text)) return args
  let used = 0
  const options = first.text.split('').flatMap((letter) => {
    const option = staticField(`-${letter}`)
    if (!VALUED.includes(letter)) return [option]
    const value = rest[used]
    used += 1
    return value === undefined ? [option] : [option, value]
  })
  return [...options, ...rest.slice(used)]
}

/** tar fetches `host:file` with a remote shell program. */
function isRemote(field: Field): boolean {
  return field.text.includes(':') || startsUnknown(field)
}

const MAX_DIRECTORIES = 8
const ALL = { names: null, hidden: true, links: false, look: true }

/** Packing reads its operands, and everything below them, from each `-C` directory. */
function packed(
  writes: boolean,
  operands: readonly Field[],
  directories: readonly Field[],
): readonly FileUse[] {
  if (!writes) return []
  if (directories.length > MAX_DIRECTORIES) return REACHES_ANYTHING
  const places = [...directories, ...chained(directories)]
  const below = places.flatMap((directory) => operands.map((field) => withinField(directory, field)))
  return walkUses('read', [...operands, ...below], ALL)
}

/** The archive chooses the files: rules for any file below count. */
function unpacked(directories: readonly Field[]): readonly FileUse[] {
  const places = directories.length === 0 ? [HERE] : [...directories, ...chained(directories)]
  return walkUses('write', places, { ...ALL, look: false })
}

/** Each `-C` is relative to the one before it. */
function chained(directories: readonly Field[]): readonly Field[] {
  return directories.flatMap((_, at) => (at === 0 ? [] : [directories.slice(0, at + 1).reduce(withinField)]))
}

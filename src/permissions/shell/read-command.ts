import { UNKNOWN } from '../match-pattern.ts'
import type { Arguments } from './arguments.ts'
import { sortArguments } from './arguments.ts'
import { builtins } from './builtins.ts'
import { eachAddress, readCurl } from './curl.ts'
import { listedName, otherNames, withoutDigits } from './program-names.ts'
import type { Field, FileUse } from './field.ts'
import { staticField, isStatic, restOf, startsUnknown } from './field.ts'
import { readFd } from './fd.ts'
import { readFind } from './find.ts'
import { readGit, readGitProgram } from './git.ts'
import { interpreters, readInterpreter } from './interpreters.ts'
import type { Program } from './program-entry.ts'
import { mentionedFiles, REACHES_ANYTHING } from './mentioned-files.ts'
import { programs } from './program-table.ts'
import type { Invocation, Reading } from './reading.ts'
import { caution, merge, optionCautions, reading, unknownInner, uses } from './reading.ts'
import { removedTrees } from './recursive-removal.ts'
import { readAwk, readSed } from './sed-and-awk.ts'
import { runningOptions } from './running-options.ts'
import { startedProgram } from './package-runners.ts'
import { readShell, shells } from './shells.ts'
import { suspectTexts } from './suspects.ts'
import { readSqlClient, readSqlite } from './databases.ts'
import { readSsh } from './ssh.ts'
import { readTar } from './tar.ts'
import { readToolCommand, tools } from './tool-table.ts'
import { HERE, walkOf } from './directory-walks.ts'
import { readWrapper, readXargs } from './read-wrapper.ts'
import { wrappers } from './wrapper-table.ts'

const SPECIAL: Readonly<Record<string, (command: Invocation) => Reading>> = {
  ...builtins,
  xargs: readXargs,
  find: readFind,
  fd: readFd,
  git: readGit,
  sed: readSed,
  gsed: readSed,
  awk: readAwk,
  gawk: readAwk,
  mawk: readAwk,
  nawk: readAwk,
  curl: readCurl,
  tar: readTar,
  gtar: readTar,
  bsdtar: readTar,
  sqlite3: readSqlite,
  sqlite: readSqlite,
  psql: readSqlClient,
  mysql: readSqlClient,
  mariadb: readSqlClient,
  ssh: readSsh,
}

/** What a simple command does beyond its name. A program that no table lists may do anything that its rule allows. */
export function readCommand(command: Invocation): Reading {
  const program = listedName(command.program, isListed)
  const named = { ...command, program }
  return merge(readNamed(named), reading({ aliases: aliasesOf(command, program) }))
}

/** `python3 -m json.tool IN OUT` */
const JSON_TOOL: Program = { operands: 'output', any: true, values: 'indent' }

/** Only programs of packages. If the inner program starts a shell, the outer reading finds that. */
function readStarted(command: Invocation): Reading | undefined {
  if (command.program === 'json.tool') return readProgram(command, JSON_TOOL)
  const program = listedName(command.program, isListed)
  const tool = own(tools, program)
  return tool === undefined
    ? undefined
    : merge(
        readToolCommand({ ...command, program }, tool),
        reading({ aliases: [[staticField(program), ...command.args]] }),
      )
}

function aliasesOf({ program, args }: Invocation, listed: string): readonly (readonly Field[])[] {
  return otherNames(program, listed).map((name) => [staticField(name), ...args])
}

function isListed(name: string): boolean {
  return (
    shells.has(name) ||
    [SPECIAL, wrappers, programs, tools].some((table) => Object.hasOwn(table, name)) ||
    Object.hasOwn(interpreters, withoutDigits(name))
  )
}

function readNamed(command: Invocation): Reading {
  const started = startedProgram(command)
  const inner = started === null ? undefined : readStarted(started)
  const found = readListed(command)
  if (found === undefined)
    return merge(readUnlisted(command), reading({ suspects: suspectTexts(command.args) }))
  if (inner !== undefined) return merge(found, inner, reading({ suspects: suspectTexts(command.args) }))
  const isSure = found.cautions.length === 0 && found.inner.every(({ type }) => type !== 'unknown')
  return isSure
    ? found
    : merge(found, reading({ suspects: suspectTexts(command.args) }), mentionedFiles(command.args))
}

function readListed(command: Invocation): Reading | undefined {
  if (/^git-(?!bash$|shell$)/.test(command.program))
    return merge(readGitProgram(command), readUnlisted(command))
  const special = own(SPECIAL, command.program)
  if (special !== undefined) return special(command)
  if (shells.has(command.program)) return readShell(command)
  const wrapper = own(wrappers, command.program)
  if (wrapper !== undefined) return readWrapper(command, wrapper)
  const program = own(programs, command.program)
  if (program !== undefined)
    return merge(readProgram(command, program), removedTrees(command), beside(command, program))
  const interpreter = own(interpreters, withoutDigits(command.program))
  if (interpreter !== undefined) return readInterpreter(command, interpreter)
  const tool = own(tools, command.program)
  return tool === undefined ? undefined : merge(readToolCommand(command, tool), readUnlisted(command))
}

/** Names come from a model: `constructor` must not find an inherited property. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** Effects that the option tables cannot express. */
function beside({ program, args }: Invocation, table: Program): Reading {
  switch (program) {
    case 'wget':
      return eachAddress(program, args, sortArguments(args, table).operands)
    case 'jq':
      return args.some(({ text }) => /(^|[\s;])(import|include)\s*"/.test(text))
        ? merge(caution('loads a jq module'), unknownInner('loads a jq module'))
        : reading({})
    default:
      return reading({})
  }
}

function readProgram(command: Invocation, program: Program): Reading {
  const found = sortArguments(command.args, program)
  const given = new Set(found.options.map((option) => option.name))
  const scripted = (program.scriptOptions ?? '').split(' ').some((name) => given.has(name))
  const skip = program.operands === 'script' && !scripted ? 1 : 0
  return merge(
    optionCautions(command.program, found.unknown),
    program.runs === true && found.unknown.length > found.writes.length
      ? unknownInner(`uses an option of ${command.program} that may run a program`)
      : reading({}),
    uses('write', found.writes),
    copiedTo(targetsOf(program, found), found.operands),
    found.doubtful && program.any !== true
      ? caution('has an argument that is unknown in advance')
      : reading({}),
    program.globs === 'ask' && command.args.some((field) => field.glob && /^[*?[]/.test(field.text))
      ? caution('has a glob that may become an option')
      : reading({}),
    program.pluses === true && command.args.some((field) => field.text.startsWith('+'))
      ? caution(`passes ${command.program} a command`)
      : reading({}),
    uses('read', found.reads),
    found.unknown.some((name) => LISTS.test(name)) ? reading({ files: REACHES_ANYTHING }) : reading({}),
    walked(command, program, found, skip),
  )
}

/** Where `-t` has things copied to; it is looked up as a directory that is read, too. */
function targetsOf({ reads = '' }: Program, { options }: Arguments): readonly Field[] {
  if (!reads.split(' ').includes('target-directory')) return []
  return options.flatMap(({ name, value }) => (value && /^(-t|--t.*)$/.test(name) ? [value] : []))
}

/** Then the last operand is copied too. */
function copiedTo(targets: readonly Field[], operands: readonly Field[]): Reading {
  return targets.length === 0 ? reading({}) : merge(uses('write', targets), uses('read', operands))
}

/** Options that name a file containing the names of other files. */
const LISTS = /^--(files0?|files0?-from|filelist)$/

/** `host:path` and `rsync://host/path`. */
function isAddress({ text }: Field): boolean {
  return /^[^/]*:/.test(text)
}

function walked(command: Invocation, program: Program, found: Arguments, skip: number): Reading {
  const operands = found.operands.slice(skip)
  const walk = walkOf(program.walks, found)
  if (walk === null) return readOperands(program, operands)
  const piped = command.stdin.type !== 'none' && program.walks?.when === undefined
  const given = operands.length === 0 && program.walks?.here === true && !piped ? [HERE] : operands
  const plain = readOperands(program, given)
  const look = program.operands !== 'remove'
  // what is copied is found below; where it is copied to is one file
  const isWalked = ({ access }: FileUse) => access !== 'write' || program.operands === 'write'
  const files = plain.files.map((use) => (isWalked(use) ? { ...use, walk: { ...walk, look } } : use))
  return { ...plain, files }
}

function readOperands(program: Program, operands: readonly Field[]): Reading {
  switch (program.operands) {
    case 'text':
      return reading({})
    case 'read':
    case 'script':
      return uses('read', operands)
    case 'remove':
      return uses('remove', operands)
    case 'write':
      return uses('write', operands)
    case 'edit':
      return merge(uses('read', operands), uses('write', operands))
    case 'move':
      return merge(uses('read', operands.slice(0, -1)), uses('write', operands))
    case 'copy': {
      const isLocal = (field: Field) => program.addresses !== true || !isAddress(field)
      return merge(
        uses('read', operands.slice(0, -1).filter(isLocal)),
        uses('write', operands.slice(-1).filter(isLocal)),
      )
    }
    case 'zip':
      return merge(uses('write', operands.slice(0, 1)), uses('read', operands.slice(1)))
    case 'output':
      return operands.length < 2
        ? uses('read', operands)
        : merge(
            caution('names a file to write'),
            uses('read', operands.slice(0, 1)),
            uses('write', operands.slice(1)),
          )
  }
}

/** In an unlisted program, any word that looks like a path may be a file. */
function readUnlisted(command: Invocation): Reading {
  const paths = command.args.flatMap(possiblePaths)
  const globs = command.args.filter(
    ({ glob, text }) => glob && !text.includes(UNKNOWN) && !/[\s=]|^-/.test(text),
  )
  const doubtful = command.args.some((field) => startsUnknown(field) && field.from === undefined)
  return merge(
    uses('read', paths),
    reading({ files: globs.map((field) => ({ access: 'read', field, mention: true })) }),
    mentionedFiles(command.args),
    runningOptions(command.program, command.args),
    doubtful ? caution('has an argument that is unknown in advance') : reading({}),
  )
}

function possiblePaths(field: Field): readonly Field[] {
  const isGlob = field.glob && !field.text.includes(UNKNOWN)
  if (isGlob && /^\w+=/.test(field.text))
    return [restOf(field, field.text.slice(0, field.text.indexOf('=') + 1))]
  if (!isStatic(field)) return []
  const equals = field.text.indexOf('=')
  if (field.text.startsWith('-')) return equals === -1 ? [] : [restOf(field, field.text.slice(0, equals + 1))]
  const value = /^\w+=/.exec(field.text)?.[0]
  if (value !== undefined) return [field, restOf(field, value)]
  return /\s/.test(field.text) || /^[a-z][a-z0-9+.-]*:\/\//i.test(field.text) ? [] : [field]
}

import type { Statement } from 'unbash'
import type { Caution } from '../item.ts'
import type { Directories } from './directories.ts'
import type { Field } from './field.ts'
import type { DirectoryLookup } from './directory-lookup.ts'
import type { SurveyedCommand, SurveyedFile } from './survey-types.ts'

/** What is known at a point of the line: the disk, and the effects of the line so far. */
export interface Around {
  /** Whether the line starts in the workspace itself. */
  readonly atRoot: boolean
  readonly places: DirectoryLookup
  readonly files: readonly SurveyedFile[]
  readonly commands: readonly SurveyedCommand[]
}

/** `cd` into an existing directory succeeds unless something on the line may have moved it. */
export function surelyChanges(
  { command, background }: Statement,
  into: Directories,
  around: Around,
): boolean {
  if (command.type !== 'Command' || command.name?.text !== 'cd' || background === true) return false
  if (!changesNothing(around) || command.redirects.length > 0) return false
  return into?.every((path) => around.places.isDirectory(path)) === true
}

/** Git and programs given by a relative path depend on the current directory. */
export function runsElsewhere(
  name: Field,
  program: string,
  directories: Directories,
  around: Around,
): readonly Caution[] {
  const here = directories?.join() === '.'
  const shared =
    directories?.every((path) => around.places.sharesRepository(path)) === true && changesNothing(around)
  if (program === 'git' && !(around.atRoot && (here || shared)))
    return [{ reason: 'runs git in another directory, with its configuration' }]
  const local = name.text.includes('/') && !name.text.startsWith('/')
  return local && !here ? [{ reason: 'runs a program from another directory' }] : []
}

/** Commands that create no repository and remove no directory. */
const HARMLESS =
  /^(cd|ls|pwd|echo|printf|cat|head|tail|wc|grep|rg|true|test|\[|git (status|log|diff|show|branch|rev-parse|ls-files|blame|add|commit|fetch|push|grep|tag))( |$)/

/** Whether nothing earlier on the line creates or removes files. */
function changesNothing({ files, commands }: Around): boolean {
  return (
    files.every(({ access, mention }) => access === 'read' || mention === true) &&
    commands.every(({ text }) => HARMLESS.test(text))
  )
}

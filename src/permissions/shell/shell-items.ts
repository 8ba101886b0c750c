import type { Caution, Item } from '../item.ts'
import { commandPathItem, outsideItem } from '../path-items.ts'
import { UNKNOWN } from '../pattern.ts'
import type { PermissionCall, PermissionPath } from '../types.ts'
import { grantFor } from './grant.ts'
import { namedFiles } from './named-files.ts'
import type { Survey, SurveyedCommand, SurveyedFile } from './survey.ts'
import { surveyScript } from './survey.ts'

/** A command line as items: every simple command in it, and every file that it names. Never empty. */
export function shellItems(call: PermissionCall, command: string): readonly Item[] {
  const start = resolved(call, '.')
  const atRoot = start.relative === '.' && !start.outside
  const survey = surveyScript(command, start.absolute, atRoot)
  const files = survey.files.flatMap((file) => fileItems(call, file))
  const cautions = [...survey.cautions, ...files.flatMap((file) => file.cautions)]
  const items = survey.commands.map((one) => commandItem(call, one, cautions))
  const whole =
    items.length === 0 || survey.problem !== null ? [wholeItem(call, command, survey, cautions)] : []
  return [...whole, ...items, ...files.flatMap((file) => file.items), ...(atRoot ? [] : startItems(start))]
}

/** Where the line starts, if that is not the workspace itself: a command need not name what it reads there. */
function startItems(start: PermissionPath): readonly Item[] {
  const item = commandPathItem('read', start)
  return start.outside ? [item, outsideItem(start)] : [item]
}

function commandItem(call: PermissionCall, command: SurveyedCommand, line: readonly Caution[]): Item {
  const [guard] = command.guards
  return {
    tools: [call.tool, call.toolset, '*'],
    effects: call.effects,
    title: `${call.tool} ${command.text.replaceAll(UNKNOWN, '…')}`,
    kind: 'text',
    texts: [command.text],
    aliases: command.aliases,
    uncertain: command.uncertain,
    cautions: [...command.cautions, ...line],
    guard: guard === undefined ? null : `${command.text.replaceAll(UNKNOWN, '…')} ${guard}`,
    fallback: 'ask',
    grant: grantFor(call.tool, command.fields),
  }
}

/** Where nothing is run (`[[ -f x ]]`, an assignment), or it cannot be told what, the line itself is the subject. */
function wholeItem(
  call: PermissionCall,
  command: string,
  survey: Survey,
  cautions: readonly Caution[],
): Item {
  const text = command.slice(0, MAX_TITLE).trim()
  return {
    ...commandItem(call, { text, aliases: [], uncertain: null, cautions, guards: [], fields: [] }, []),
    title: call.tool,
    uncertain: survey.problem === null ? null : UNKNOWN,
    guard: survey.problem === null ? null : `asks because the command ${survey.problem}`,
    grant: null,
  }
}

const MAX_TITLE = 1000

interface FileItems {
  readonly items: readonly Item[]
  readonly cautions: readonly Caution[]
}

function fileItems(call: PermissionCall, file: SurveyedFile): FileItems {
  const named = namedFiles(file, file.directories)
  const unknown = named.known ? [] : [{ reason: `${file.access}s a file that is not known before it runs` }]
  const paths = named.paths.map((path) => resolved(call, path))
  const items = paths.flatMap((path) => {
    const access = file.access === 'read' ? 'read' : 'write'
    const item = { ...commandPathItem(access, path), ...(removesAll(call, file, path) ? REMOVES_ALL : {}) }
    return path.outside ? [item, outsideItem(path)] : [item]
  })
  const redirected = file.redirected ? paths : []
  return {
    items,
    cautions: [
      ...unknown,
      ...redirected.map((path) => ({
        reason: `writes to ${path.relative}`,
        write: commandPathItem('write', path),
      })),
    ],
  }
}

const REMOVES_ALL = { guard: 'removes the whole workspace and always asks' }

/** A glob whose last name any name matches. */
const FINDS_ALL = /(^|\/)(\[[^\]]*\]|[*?.])*\*(\[[^\]]*\]|[*?.])*\/?$/

function removesAll(call: PermissionCall, file: SurveyedFile, path: PermissionPath): boolean {
  const root = resolved(call, '.').absolute
  return (
    file.access === 'remove' &&
    (!file.field.glob || FINDS_ALL.test(file.field.text)) &&
    ((path.relative === '.' && !path.outside) ||
      path.absolute === root ||
      root.startsWith(`${path.absolute}/`))
  )
}

/** Home directories are outside, wherever they are: only the shell knows them. So is what cannot be resolved. */
function resolved(call: PermissionCall, path: string): PermissionPath {
  const elsewhere = { absolute: path, relative: path, outside: true, guarded: null }
  if (path.startsWith('~')) return elsewhere
  try {
    return call.resolvePath(path)
  } catch {
    return elsewhere
  }
}

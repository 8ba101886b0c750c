import type { Caution, Item } from '../item.ts'
import { commandPathItem, outsideItem } from '../path-items.ts'
import { UNKNOWN } from '../match-pattern.ts'
import type { PermissionCall, PermissionPath } from '../types.ts'
import { fileItems } from './file-items.ts'
import { isOnlyInCell } from './only-in-cell.ts'
import { grantFor } from './grant-pattern.ts'
import { resolveWord, resolveWords } from '../resolve-path-words.ts'
import { directoryLookupOf } from './directory-lookup.ts'
import { resolved } from './resolve-path.ts'
import type { Survey, SurveyedCommand, SurveyedFile } from './survey-types.ts'
import { surveyScript } from './survey-script.ts'

/** Splits a command line into items: every simple command and every file it names. Never empty. */
export function shellItems(asked: PermissionCall, command: string): readonly Item[] {
  const call = withMemory(asked)
  const start = resolved(call, '.')
  const atRoot = start.relative === '.' && !start.outside
  const survey = surveyScript(command, start.absolute, atRoot, directoryLookupOf(call))
  const files = distinctFiles(survey.files).flatMap((file) => fileItems(call, file))
  const cautions = [...survey.cautions, ...files.flatMap((file) => file.cautions)]
  const items = survey.commands.map((one) => commandItem(call, one, cautions))
  const whole =
    items.length === 0 || survey.problem !== null ? [wholeItem(call, command, survey, cautions)] : []
  return [
    ...whole,
    ...items,
    ...files.flatMap((file) => file.items),
    ...(atRoot ? [] : startItems(call, start)),
  ]
}

/** Caches file system lookups: a path is looked up once per command line. */
function withMemory(call: PermissionCall): PermissionCall {
  const { filesBelow } = call
  const resolvePath = remembering(call.resolvePath)
  return filesBelow === undefined
    ? { ...call, resolvePath }
    : { ...call, resolvePath, filesBelow: remembering(filesBelow) }
}

function remembering<T>(look: (path: string, levels?: number) => T): (path: string, levels?: number) => T {
  const known = new Map<string, T>()
  return (path, levels) => {
    const key = `${levels ?? ''}\0${path}`
    const found = known.get(key)
    if (found !== undefined) return found
    const value = look(path, levels)
    known.set(key, value)
    return value
  }
}

/** A line may name the same file many times. */
function distinctFiles(files: readonly SurveyedFile[]): readonly SurveyedFile[] {
  const keyOf = ({ field, ...rest }: SurveyedFile) => JSON.stringify([rest, field])
  return [...new Map(files.map((file) => [keyOf(file), file])).values()]
}

/**
 * Items for the directory where the line starts, if that is not the workspace: a command may read there without naming
 * files.
 */
function startItems(call: PermissionCall, start: PermissionPath): readonly Item[] {
  const item = commandPathItem('read', start)
  return start.outside ? [item, outsideItem(start, isOnlyInCell(call, start))] : [item]
}

function commandItem(call: PermissionCall, command: SurveyedCommand, line: readonly Caution[]): Item {
  const [guard] = command.guards
  return {
    tools: [call.tool, call.toolset, '*'],
    effects: call.effects,
    title: `${call.tool} ${command.text.replaceAll(UNKNOWN, '…')}`,
    kind: 'text',
    texts: [command.text, ...command.plain],
    aliases: command.aliases,
    wrapped: command.wrapped,
    suspects: command.suspects,
    ...resolvedText(call, command),
    uncertain: command.uncertain,
    cautions: [...command.cautions, ...line],
    guard: guard === undefined ? null : `${command.text.replaceAll(UNKNOWN, '…')} ${guard}`,
    fallback: 'ask',
    grant: grantFor(call.tool, command.fields),
  }
}

/** A word with `..` also counts as the path it resolves to; if that path is behind a link, no rule names it. */
function resolvedText(
  call: PermissionCall,
  { text, fields }: SurveyedCommand,
): { readonly resolved?: string } {
  const plain = resolveWords(text)
  if (plain === text) return {}
  const strays = fields.some(({ text: word }) => {
    const named = resolveWord(word)
    return named !== word && resolved(call, word).absolute !== resolved(call, named).absolute
  })
  return { resolved: strays ? UNKNOWN : plain }
}

/** The whole line is the subject if it runs nothing (`[[ -f x ]]`, an assignment) or runs something unknown. */
function wholeItem(
  call: PermissionCall,
  command: string,
  survey: Survey,
  cautions: readonly Caution[],
): Item {
  const text = command.slice(0, MAX_TITLE).trim()
  return {
    ...commandItem(
      call,
      {
        text,
        aliases: [],
        plain: [],
        wrapped: [],
        suspects: [],
        uncertain: null,
        cautions,
        guards: [],
        fields: [],
      },
      [],
    ),
    title: call.tool,
    uncertain: survey.problem === null ? null : UNKNOWN,
    guard: survey.problem === null ? null : `asks because the command ${survey.problem}`,
    grant: null,
  }
}

const MAX_TITLE = 1000

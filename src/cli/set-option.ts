import { InvalidArgumentError, Option } from 'commander'
import { issueWords } from '../core/issue-words.ts'
import {
  mergeSettings,
  modelSettingsSchema,
  settingNames,
  type ModelSettings,
} from '../core/model-settings.ts'
import { nearestName } from '../core/nearest-name.ts'
import { providerOptionsProblem } from '../core/provider-options.ts'

/** `--set temperature=0.2 --set anthropic.thinking='{"type": "adaptive"}'` */
export function setOption(): Option {
  return new Option(
    '--set <name=value>',
    'set a model option: temperature, topP, maxOutputTokens, stopSequences, promptCache or PROVIDER.OPTION; repeatable',
  ).argParser((text: string, before: ModelSettings | undefined) =>
    mergeSettings(before ?? {}, parseSetting(text)),
  )
}

function parseSetting(text: string): ModelSettings {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('Expected NAME=VALUE, such as temperature=0.2.')
  const [first = '', ...path] = text.slice(0, equals).split('.')
  const settings = settingsOf(first, path, valueOf(text.slice(equals + 1)))
  // The schema drops the name `__proto__` without a word.
  const problem = 'providerOptions' in settings && providerOptionsProblem(settings['providerOptions'])
  if (problem) throw new InvalidArgumentError(`providerOptions: ${problem}`)
  const parsed = modelSettingsSchema().safeParse(settings)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]!
  throw new InvalidArgumentError(`${issue.path.map(String).join('.')}: ${issueWords(issue, settings)}`)
}

function settingsOf(
  first: string,
  path: readonly string[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  if (path.length > 0 || first === 'providerOptions')
    return { providerOptions: nested(first === 'providerOptions' ? path : [first, ...path], value) }
  if (first === 'stopSequences') return { stopSequences: Array.isArray(value) ? value : [String(value)] }
  if ((settingNames as readonly string[]).includes(first)) return { [first]: value }
  const near = nearestName(first, settingNames)
  const hint = near ? `did you mean ${near}?` : `it is one of ${settingNames.join(', ')}, or PROVIDER.OPTION.`
  throw new InvalidArgumentError(`unknown setting ${JSON.stringify(first.slice(0, 60))}; ${hint}`)
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
}

/** JSON where it is some, else a text. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

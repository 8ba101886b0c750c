/** A parsed chat command. `target`: an id, or the number of a subagent in this chat without `#`. */
export type ChatCommand =
  | {
      readonly command: 'spawn'
      readonly task: string
      readonly label?: string
      readonly cli?: string
      readonly agent?: string
    }
  | { readonly command: 'list' | 'stop-all' | 'new' | 'help' }
  /** `all`: only for every subagent. */
  | { readonly command: 'stop' | 'log'; readonly target: string }
  | {
      readonly command: 'approve'
      readonly target: string
      readonly answer: 'once' | 'run' | 'always' | 'deny'
    }
  /** A known command with invalid arguments: the message for its author. */
  | { readonly command: 'wrong'; readonly message: string }

/** Usage of each command, for `/help`. */
export const chatCommands = [
  '/spawn [--label L] [--cli X] [--agent A] "task"',
  '/subagents [list]',
  '/subagents stop <id|#|all>',
  '/subagents log <id|#>',
  '/stop',
  '/approve <#> [once|run|always|deny]',
  '/new',
  '/help',
] as const

/** Parses the command of a line. undefined: the line is a message, also if it starts with a path such as /etc/hosts. */
export function parseChatCommand(line: string): ChatCommand | undefined {
  const match = /^\s*\/(spawn|subagents|stop|approve|new|help)(?:\s+([^]*))?$/.exec(line)
  if (!match) return undefined
  const [, name, rest = ''] = match
  const words = wordsOf(rest)
  switch (name) {
    case 'spawn':
      return spawn(words)
    case 'subagents':
      return subagents(words)
    case 'approve':
      return approve(words)
    case 'stop':
      return words.length === 0 ? { command: 'stop-all' } : wrong('/stop', '/subagents stop <id|#> stops one')
    default:
      return words.length === 0 ? { command: name as 'new' | 'help' } : wrong(`/${name}`)
  }
}

interface Word {
  readonly text: string
  /** Quoted, so never an option. */
  readonly isQuoted: boolean
}

/** Splits words at blanks outside quotes, including the typographic quotes of phones. */
function wordsOf(text: string): readonly Word[] {
  const words = text.matchAll(/"((?:\\["\\]|[^"])*)"|“([^”]*)”|'([^']*)'|(\S+)/g)
  return [...words].map(([, double, curly, single, plain]) => {
    const quoted = double?.replace(/\\(["\\])/g, '$1') ?? curly ?? single
    return { text: quoted ?? plain!, isQuoted: quoted !== undefined }
  })
}

const OPTIONS = ['label', 'cli', 'agent'] as const

function spawn(words: readonly Word[]): ChatCommand {
  const options: Partial<Record<(typeof OPTIONS)[number], string>> = {}
  let at = 0
  for (; words[at] && !words[at]!.isQuoted && words[at]!.text.startsWith('--'); at += 2) {
    const name = OPTIONS.find((option) => `--${option}` === words[at]!.text)
    const value = words[at + 1]?.text
    if (!name) return wrong('/spawn', `unknown option ${words[at]!.text}`)
    if (!value) return wrong('/spawn', `--${name} needs a value`)
    options[name] = value
  }
  const task = words
    .slice(at)
    .map(({ text }) => text)
    .join(' ')
    .trim()
  return task === '' ? wrong('/spawn', 'it needs a task') : { command: 'spawn', task, ...options }
}

function subagents([verb, target, ...more]: readonly Word[]): ChatCommand {
  const name = verb?.text ?? 'list'
  if (name === 'list' && !target) return { command: 'list' }
  const isVerb = name === 'stop' || name === 'log'
  if (!isVerb || !target || more.length > 0) return wrong('/subagents')
  if (name === 'log' && target.text === 'all') return wrong('/subagents', 'name one subagent')
  return { command: name, target: numberOf(target.text) }
}

function approve([target, answer, ...more]: readonly Word[]): ChatCommand {
  if (!target || more.length > 0) return wrong('/approve')
  const known = (['once', 'run', 'always', 'deny'] as const).find((each) => each === (answer?.text ?? 'once'))
  if (!known) return wrong('/approve', `${answer!.text} is not an answer`)
  return { command: 'approve', target: numberOf(target.text), answer: known }
}

function numberOf(text: string): string {
  return text.replace(/^#(?=\d+$)/, '')
}

function wrong(name: string, why?: string): ChatCommand {
  const forms = chatCommands.filter((form) => form === name || form.startsWith(`${name} `))
  return { command: 'wrong', message: [why, `Write: ${forms.join(', or ')}`].filter(Boolean).join('. ') }
}

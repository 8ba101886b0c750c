import { unreachable } from '../../core/errors.ts'
import type { CommandEntry, OptionEntry, Values } from './command-table.ts'
import { commandWalkOf } from './command-walk.ts'

/** For fish from 3.0. */
export function fishScript(table: readonly CommandEntry[]): string {
  const { valued, steps } = commandWalkOf(table)
  return `# Completion of offshoot for fish: offshoot completion fish | source

# Prints COMMAND:PLACE of the cursor, places counted from 0.
function __offshoot_where
    set -l words (commandline -opc)
    set -e words[1]
    set -l at ''
    set -l place 0
    set -l value ''
    for word in $words
        if test -n "$value"
            set value ''
            continue
        end
        switch "$at:$word"
            case ${valued.map(quoted).join(' ')}
                set value yes
            case '*:-*'
${steps.map(({ patterns, to }) => `            case ${patterns.map(quoted).join(' ')}\n                set at ${quoted(to)}`).join('\n')}
            case '*'
                set place (math $place + 1)
        end
    end
    echo "$at:$place"
end

function __offshoot_is
    contains -- (__offshoot_where) $argv
end

function __offshoot_at
    string match -q -- "$argv[1]:*" (__offshoot_where)
end

complete -c offshoot -e
complete -c offshoot -f
${table.flatMap(lines).join('\n')}
`
}

function lines({ path, commands, options, places, repeats }: CommandEntry): string[] {
  const at = condition('at', path)
  return [
    ...commands.map(({ name, about }) =>
      complete(condition('is', `${path}:0`), `-a ${quoted(name)}`, description(about)),
    ),
    ...(commands.length > 0 ? [] : places).flatMap((values, place) => {
      const any = repeats && place === places.length - 1
      const offered = offer(values)
      return offered === '' ? [] : [complete(any ? at : condition('is', `${path}:${place}`), offered)]
    }),
    ...options.map((option) => complete(at, ...optionWords(option))),
  ]
}

function optionWords({ flags, about, values }: OptionEntry): string[] {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
  // -x: no files beside what is offered
  const value = values?.type === 'file' ? '-r -F' : values ? `-x ${offer(values)}`.trim() : ''
  return [...names, value, description(about)]
}

function offer(values: Values): string {
  switch (values.type) {
    case 'words':
      return `-a ${quoted(values.words.join(' '))}`
    case 'ask':
      return `-k -a ${quoted(`(offshoot __complete ${values.what} 2>/dev/null)`)}`
    case 'file':
      return '-F'
    case 'directory':
      return `-a ${quoted('(__fish_complete_directories)')}`
    case 'free':
      return ''
    default:
      return unreachable(values)
  }
}

function complete(...words: readonly string[]): string {
  return ['complete -c offshoot', ...words.filter((word) => word !== '')].join(' ')
}

/** The command is a word of its own in the condition, which fish reads a second time. */
function condition(kind: 'is' | 'at', place: string): string {
  return `-n ${quoted(`__offshoot_${kind} ${quoted(place)}`)}`
}

function description(about: string): string {
  return about === '' ? '' : `-d ${quoted(about)}`
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}

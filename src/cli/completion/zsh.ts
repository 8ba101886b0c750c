import { posixCases, quoted, type Word } from './posix-cases.ts'
import type { CommandEntry } from './command-table.ts'

/** To be sourced after compinit, or to lie as `_offshoot` in a directory of fpath. */
export function zshScript(table: readonly CommandEntry[]): string {
  const { valued, steps, values, options, places } = posixCases(table, {
    words: (list) => ['_offshoot_words', ...list.map(entry)].join(' '),
    ask: (what) => `_offshoot_ask ${what}`,
    files: '_files',
    directories: '_files -/',
  })
  return `#compdef offshoot
# Completion of offshoot for zsh: source <(offshoot completion zsh)

_offshoot() {
  local at='' place=0 value='' word i
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -n $value ]]; then
      value=''
      continue
    fi
    case "$at:$word" in
      ${valued}) value=$at:$word ;;
      *:-*) ;;
${steps}
      *) place=$((place + 1)) ;;
    esac
  done
  word=\${words[CURRENT]}
  if [[ -z $value && $word == --*=* ]]; then
    value=$at:\${word%%=*}
    compset -P '*='
  fi
  if [[ -n $value ]]; then
    case "$value" in
${values}
    esac
  elif [[ $word == -* ]]; then
    case "$at" in
${options}
    esac
  else
    case "$at:$place" in
${places}
    esac
  fi
}

_offshoot_words() {
  local -a list=("$@")
  _describe -V value list
}

_offshoot_ask() {
  local -a list
  local word about
  while IFS=$'\\t' read -r word about; do
    list+=("\${word//:/\\\\:}:$about")
  done < <(offshoot __complete "$1" 2>/dev/null)
  _describe -V value list
}

if [[ \${funcstack[1]} == _offshoot ]]; then
  _offshoot "$@"
else
  compdef _offshoot offshoot
fi
`
}

/** As _describe takes it. */
function entry({ word, about }: Word): string {
  const name = word.replaceAll(':', '\\:')
  return quoted(about === '' ? name : `${name}:${about}`)
}

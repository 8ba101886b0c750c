import { posixCases, quoted } from './posix-cases.ts'
import type { CommandEntry } from './command-table.ts'

/** For bash from 3.2, the one of macOS; nothing else is needed. */
export function bashScript(table: readonly CommandEntry[]): string {
  const { valued, steps, values, options, places } = posixCases(table, {
    words: (list) => ['_offshoot_words', ...list.map(({ word }) => quoted(word))].join(' '),
    ask: (what) => `_offshoot_ask ${what}`,
    files: '_offshoot_files -f',
    directories: '_offshoot_files -d',
  })
  return `# Completion of offshoot for bash: source <(offshoot completion bash)

_offshoot() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at='' place=0 value='' word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    # bash splits words at = and :
    if [[ $word == '=' ]]; then continue; fi
    if [[ $word == ':' ]]; then
      i=$((i + 1))
      continue
    fi
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
  if [[ $cur == '=' ]]; then cur=''; fi
  if [[ -n $value ]]; then
    case "$value" in
${values}
    esac
  elif [[ $cur == -* ]]; then
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
  local word
  for word in "$@"; do
    if [[ $word == "$cur"* ]]; then COMPREPLY+=("$word"); fi
  done
}

_offshoot_ask() {
  local word
  while IFS=$'\\t' read -r word _; do _offshoot_words "$word"; done < <(offshoot __complete "$1" 2>/dev/null)
}

_offshoot_files() {
  local word
  compopt -o filenames 2>/dev/null
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$1" -- "$cur")
}

complete -F _offshoot offshoot
`
}

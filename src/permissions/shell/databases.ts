import { sortArguments } from './arguments.ts'
import type { Field } from './field.ts'
import { isStatic } from './field.ts'
import type { Invocation, Reading } from './reading.ts'
import { caution, merge, optionCautions, reading, unknownInner, uses } from './reading.ts'

/** Names may have one dash or two. */
const PLAIN_OPTION =
  /^--?(header|noheader|column|csv|json|line|list|html|markdown|box|table|tabs|quote|ascii|readonly|bail|batch|echo|stats|version|help|safe|nofollow|interactive)$/
const VALUED_OPTION = /^--?(separator|nullvalue|newline|cmd)$/

/** Dot commands of sqlite may run programs, and some of its SQL functions write files or load code. */
export function readSqlite({ args, stdin }: Invocation): Reading {
  const texts: Field[] = []
  const given: Field[] = []
  const unknown: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const field = args[at]
    if (field === undefined) break
    if (VALUED_OPTION.test(field.text)) {
      at += 1
      const value = args[at]
      if (value !== undefined) given.push(value)
    } else if (field.text.startsWith('-') && !PLAIN_OPTION.test(field.text)) unknown.push(field.text)
    else if (!field.text.startsWith('-')) texts.push(field)
  }
  const [database, ...statements] = texts
  const risky =
    [...given, ...statements].some((field) => !isStatic(field) || isRisky(RISKY_SQLITE, field.text)) ||
    isRiskyInput(stdin)
  return merge(
    optionCautions('sqlite3', unknown),
    unknown.length > 0 || risky ? runsHidden('passes sqlite3 commands that may run a program') : reading({}),
    uses('write', database === undefined || database.text === ':memory:' ? [] : [database]),
  )
}

/** Longer text is not searched and counts as unsafe. */
const MAX_STATEMENTS = 8192

function isRisky(words: RegExp, text: string): boolean {
  return text.length > MAX_STATEMENTS || words.test(text)
}

const RISKY_SQLITE =
  /(^|\n)\s*\.|\b(writefile|readfile|load_extension|edit|fts3_tokenizer)\s*\(|\b(attach|detach|vacuum\b.*\binto)\b/i

function isRiskyInput(stdin: Invocation['stdin']): boolean {
  return stdin.type === 'text' ? isRisky(RISKY_SQLITE, stdin.text) : stdin.type !== 'none'
}

const CLIENT = {
  flags: 'AaqtxXwzNBsvVEn1lrGH0',
  longs: `no-align tuples-only quiet expanded no-psqlrc no-password version help list csv batch silent table
    skip-column-names column-names vertical raw`,
  values: `h p U d u D P F R c e host port username dbname user database command execute protocol field-separator
    record-separator`,
}

/** SQL is harmless; commands of the client itself (`\\!`, `system`, `source`) may run a program or write a file. */
export function readSqlClient({ program, args, stdin }: Invocation): Reading {
  const found = sortArguments(args, CLIENT)
  const statements = found.options.flatMap(({ name, value }) =>
    value && /^(-c|-e|--command|--execute)$/.test(name) ? [value] : [],
  )
  const risky =
    statements.some((field) => !isStatic(field) || isRisky(RISKY_CLIENT, field.text)) ||
    (stdin.type === 'text' ? isRisky(RISKY_CLIENT, stdin.text) : stdin.type !== 'none') ||
    found.operands.some((field) => /[=/]/.test(field.text))
  return merge(
    optionCautions(program, found.unknown),
    found.unknown.length > 0 || risky
      ? runsHidden(`passes ${program} commands that may run a program`)
      : reading({}),
  )
}

const RISKY_CLIENT =
  /\\|(^|[;\n])\s*(system|source|tee|pager|edit|nopager|\.)\b|\b(program|into\s+(out|dump)file|load_file|load\s+data|pg_read\w*|pg_ls\w*|lo_export|lo_import|sys_exec|do\s+\$|create\s+(function|extension|language))\b/i

function runsHidden(reason: string): Reading {
  return merge(caution(reason), unknownInner(reason))
}

import { isProse } from './file-kind.ts'

/** The kind of a line by itself, for many languages. */
export interface LineKind {
  readonly type: 'definition' | 'test' | 'heading' | 'comment' | 'import' | 'code' | 'trivial'
  /** The defined name, the test's name or the heading's text. */
  readonly name: string
}

const MODIFIERS =
  '(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|override|virtual|inline|unsafe|extern|declare|sealed|partial|open|suspend|data|local|pub(?:\\([^)]*\\))?|"C")\\s+)*'
const KEYWORDS =
  'function\\*?|class|interface|enum|struct|trait|impl|union|record|object|protocol|extension|module|namespace|package|def|defp|defmodule|defmacro|fn|func|fun|sub|proc|procedure|macro_rules!|type|typedef|newtype|const|let|var|val|static|message|service|rpc|resource'
const DEFINITION = new RegExp(
  `^\\s*${MODIFIERS}(?:${KEYWORDS})\\s+(?:const\\s+|fn\\s+|\\([^)]*\\)\\s*|class\\s+|enum\\s+)?([\\p{L}_$][\\p{L}\\d_$.:?!]*)`,
  'u',
)
const C_LIKE = /\.(c|h|cc|cpp|cxx|hpp|hh|java|cs|m|mm|dart|scala|groovy|php|proto|d)$/i
const METHOD =
  /^\s+(?:(?:(?:public|private|protected|static|async|override|readonly|get|set|abstract)\s+|\*\s*))*(#?[\p{L}_$][\p{L}\d_$]*)\s*(?:<[^>]*>)?\((?!\{?$)(?:(?!=>|function\b|\(\{$)[^;])*\)\s*(?::\s*[^;=]+)?\{\s*$/u
const ASSIGNED =
  /^\s*(?:(?:module\.)?exports\.|[\w$]+(?:\.prototype)?\.|this\.|self\.)?([\p{L}_$][\p{L}\d_$]*)\s*[:=]\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*=>|[\w$]+\s*=>|class\b(?!:)|lambda\b)/u
const MEMBER_ASSIGNED = /^(?:[\w$]+\.)+([\p{L}_$][\w$]*)\s*=\s*function\b/u
const C_FUNCTION =
  /^\s*[A-Za-z_][\w:<>,*&[\]\s]*[\s*&]([A-Za-z_][\w:~]*)\s*\([^;=]*\)?\s*(?:const|throws [\w, ]+)?\s*\{?\s*$/
/** `struct a *b = ...` declares b. */
const C_VARIABLE = /^\s*(?:(?:static|const|extern)\s+)*(?:struct|enum|union)\s+\w+[\s*]+\w+\s*[=;,)[]/
const TEST =
  /^\s*(?:(?:export\s+)?(?:async\s+)?(?:it|test|describe|suite|context|specify|Deno\.test|scenario)(?:\.\w+)*\s*\(\s*(['"`].*)|(?:async\s+)?(?:def|fn|func|function|void|public void)\s+(?:\([^)]*\)\s*)?([Tt]est\w*))/
/** A variable inside a body, unless it holds a function. */
const LOCAL =
  /^\s+(?:const|let|var|val)\b(?![^=]*=\s*(?:async\s*)?(?:function\b|class\b|\([^()]*\)[^=]*=>|[\w$]+\s*=>))/
const SQL =
  /^\s*create\s+(?:or\s+replace\s+)?(?:unique\s+)?(?:table|view|index|function|trigger)\s+(?:if\s+not\s+exists\s+)?([\w."]+)/i
const MACRO = /^\s*#\s*define\s+(\w+)/
const CONTROL =
  /^\s*(?:if|else|for|while|switch|return|catch|do|case|throw|await|yield|new|elif|except|with|try|unless|until|when|match)\b/

/** Only the start of a long line is checked. */
export function lineKind(line: string, path: string): LineKind {
  const text = line.slice(0, 300)
  const bare = text.trim()
  if (bare.length < 3 || !/[\p{L}\p{N}]{2}/u.test(bare)) return { type: 'trivial', name: '' }
  if (isProse(path)) return proseKind(bare)
  const test = TEST.exec(text)
  if (test) return { type: 'test', name: test[1] ?? test[2] ?? '' }
  if (/^(\/\/|\/\*|\*|#(?!\s*define|\[|!\[|include|import|if|\w+\s*\()|--\s|;;|"""|'''|<!--|%)/.test(bare))
    return { type: 'comment', name: '' }
  if (
    /^(import\b|export\s+(\*|\{[^}]*\}?\s*(from\b.*)?$)|from\s+\S+\s+import|#\s*include|use\s+[\w:]+|using\s+\w|require\b|(const|let|var)\s+[^=]+=\s*(await\s+)?(require|import)\()/.test(
      bare,
    )
  ) {
    return { type: 'import', name: '' }
  }
  if (isRunningText(bare)) return { type: 'comment', name: '' }
  const name = definedName(text, C_LIKE.test(path))
  return name === null ? { type: 'code', name: '' } : { type: 'definition', name }
}

/** A sentence inside a program: printed text, or the middle of a comment. */
function isRunningText(bare: string): boolean {
  const words = bare.match(/\p{L}{2,}/gu) ?? []
  if (/^[rbuf]?["'`]/.test(bare)) return words.length >= 4
  return words.length >= 6 && !/[(){}[\];=<>]/.test(bare)
}

function definedName(text: string, cLike: boolean): string | null {
  const typed = cLike && !CONTROL.test(text) ? C_FUNCTION.exec(text) : null
  if (typed) return typed[1]!
  const plain = DEFINITION.exec(text) ?? SQL.exec(text) ?? MACRO.exec(text) ?? MEMBER_ASSIGNED.exec(text)
  if (plain && cLike && C_VARIABLE.test(text)) return null
  if (plain) return LOCAL.test(text) ? null : plain[1]!
  return CONTROL.test(text) ? null : ((ASSIGNED.exec(text) ?? METHOD.exec(text))?.[1] ?? null)
}

function proseKind(bare: string): LineKind {
  const heading = /^(#{1,6}|=+|\*\*)\s*(.+?)\s*(\*\*:?)?$/.exec(bare)
  return heading ? { type: 'heading', name: heading[2]! } : { type: 'code', name: '' }
}

export function indentOf(text: string): number {
  let width = 0
  for (const char of text) {
    if (char === ' ') width++
    else if (char === '\t') width += 4
    else break
  }
  return width
}

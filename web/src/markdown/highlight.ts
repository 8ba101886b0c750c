import type { HighlighterCore, LanguageInput } from 'shiki/core'
import { coloursOf, MAX_LINE_CHARS, type LanguageName } from './code-languages.ts'

export interface CodeToken {
  readonly content: string
  readonly color?: string | undefined
}

type Load = () => Promise<{ default: LanguageInput }>

const LOADS: Readonly<Record<LanguageName, Load>> = {
  typescript: () => import('shiki/langs/typescript.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  bash: () => import('shiki/langs/bash.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
}
const loaded = new Map<string, Promise<unknown>>()
let highlighter: Promise<HighlighterCore> | undefined

/**
 * The highlighted words of each line; undefined: none. Lengths bound the work, not time, so the result does not depend
 * on the load.
 */
export async function highlight(code: string, name: string): Promise<readonly CodeToken[][] | undefined> {
  const language = coloursOf(code, name)
  if (!language) return undefined
  highlighter ??= createHighlighter()
  const shiki = await highlighter
  let ready = loaded.get(language)
  if (!ready)
    loaded.set(language, (ready = LOADS[language]().then((module) => shiki.loadLanguage(module.default))))
  await ready
  const lines = shiki.codeToTokensBase(code, {
    lang: language,
    theme: 'css-variables',
    tokenizeTimeLimit: 0,
    tokenizeMaxLineLength: MAX_LINE_CHARS,
  })
  return lines.map((line) => line.map(({ content, color }) => ({ content, color })))
}

async function createHighlighter(): Promise<HighlighterCore> {
  const [core, engine] = await Promise.all([import('shiki/core'), import('shiki/engine/javascript')])
  return core.createHighlighterCore({
    themes: [core.createCssVariablesTheme({ name: 'css-variables', variablePrefix: '--code-' })],
    langs: [],
    engine: engine.createJavaScriptRegexEngine({ forgiving: true }),
  })
}

import type { HighlighterCore, LanguageInput } from 'shiki/core'

export interface CodeToken {
  readonly content: string
  readonly color?: string | undefined
}

type Load = () => Promise<{ default: LanguageInput }>

const LANGUAGES: Readonly<Record<string, Load>> = {
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
const ALIASES: Readonly<Record<string, string>> = {
  ts: 'typescript',
  js: 'javascript',
  mjs: 'javascript',
  jsx: 'tsx',
  jsonc: 'json',
  py: 'python',
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  yml: 'yaml',
  rs: 'rust',
  h: 'c',
  xml: 'html',
}
/** Longer code is shown without colours: it would hold up the page. Characters. */
const MAX_CHARS = 40_000

const loaded = new Map<string, Promise<unknown>>()
let highlighter: Promise<HighlighterCore> | undefined

/** The coloured words of each line; undefined for a language that is not known, and for very long code. */
export async function highlight(code: string, name: string): Promise<readonly CodeToken[][] | undefined> {
  const language = ALIASES[name.toLowerCase()] ?? name.toLowerCase()
  const load = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined
  if (!load || code.length > MAX_CHARS) return undefined
  highlighter ??= createHighlighter()
  const shiki = await highlighter
  let ready = loaded.get(language)
  if (!ready) loaded.set(language, (ready = load().then((module) => shiki.loadLanguage(module.default))))
  await ready
  return shiki.codeToTokensBase(code, { lang: language, theme: 'css-variables' })
}

async function createHighlighter(): Promise<HighlighterCore> {
  const [core, engine] = await Promise.all([import('shiki/core'), import('shiki/engine/javascript')])
  return core.createHighlighterCore({
    themes: [core.createCssVariablesTheme({ name: 'css-variables', variablePrefix: '--code-' })],
    langs: [],
    engine: engine.createJavaScriptRegexEngine({ forgiving: true }),
  })
}

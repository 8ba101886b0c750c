const NAMES = [
  'typescript',
  'tsx',
  'javascript',
  'json',
  'python',
  'bash',
  'css',
  'html',
  'sql',
  'yaml',
  'toml',
  'go',
  'rust',
  'java',
  'c',
  'diff',
] as const
export type LanguageName = (typeof NAMES)[number]

const ALIASES: Readonly<Record<string, LanguageName>> = {
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
/** Longer code is not highlighted. Characters. */
const MAX_CHARS = 40_000
/** Code with a longer line is not highlighted: generated text, for which patterns are slow. Characters. */
export const MAX_LINE_CHARS = 1_000

/** The language to highlight; undefined: too long, or an unknown language. */
export function coloursOf(code: string, name: string): LanguageName | undefined {
  if (code.length > MAX_CHARS) return undefined
  const said = name.toLowerCase()
  return Object.hasOwn(ALIASES, said) ? ALIASES[said] : NAMES.find((each) => each === said)
}

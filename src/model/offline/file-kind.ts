/** The purpose of a file, judged by its path. */
export type FileKind = 'source' | 'test' | 'docs' | 'config' | 'example' | 'foreign' | 'built' | 'noise'

const NOISE =
  /(^|\/)(node_modules|\.git|bower_components|__pycache__|\.venv)\/|(^|\/)(package-lock\.json|pnpm-lock\.yaml|yarn\.lock|[\w.-]+\.lock|go\.sum)$|\.(map|min\.js|min\.css|svg|snap|tsbuildinfo|po|ipynb)$|(^|\/)(change-?log|changes|news|history|releases?|authors|contributors|licen[cs]e)[^/.]*(\.(md|rst|txt|adoc))?$/i
/** Test folders, and test file names of any language: `test.c`, `tests.rs`, `a_test.go`, `ATest.java`. */
const TEST =
  /(^|\/)(tests?|__tests__|specs?|testing|testdata|e2e|fixtures?|__mocks__|conformance)\/|(^|[/._-])(tests?|specs?|e2e)\.[^/]+$|(^|\/)(test_[^/]+|conftest\.py|[^/]*(Tests?|Spec|TestCase)\.[^/]+)$/
const DOCS =
  /(^|\/)(docs?|man)\/|\.(md|mdx|markdown|rst|adoc|txt|html?|tex|org|[1-9])(\.prebuilt|\.in)?$|(^|\/)readme[^/]*$/i
const CONFIG =
  /\.(json|jsonc|json5|ya?ml|toml|ini|cfg|conf|env|properties|xml|lock|am|ac|m4|in|cmake)$|(^|\/)(dockerfile|(gnu)?makefile[^/]*|configure|build\.rs|setup\.py|\.[\w-]+rc)$/i
const EXAMPLE = /^scripts?\/|(^|\/)(examples?|samples?|demos?|bench(marks?)?|playground|sandbox|contrib)\//i
/** Vendored code, and translations. */
const FOREIGN = /(^|\/)(deps|vendor(ed)?|third[_-]party|external|i18n|locales?|lang|translations)\//i
const BUILT =
  /(^|\/)(dist|build|out|target|umd|cjs|esm|lib-cov|coverage|generated)\/|\.(d\.[cm]?ts|cjs|generated\.\w+|pb\.go|_pb2\.py)$/i
const MANIFEST = /(^|\/)(package\.json|pyproject\.toml|cargo\.toml|go\.mod|composer\.json|[^/]+\.gemspec)$/i

export function fileKind(path: string): FileKind {
  if (NOISE.test(path)) return 'noise'
  if (TEST.test(path)) return 'test'
  if (FOREIGN.test(path)) return 'foreign'
  if (EXAMPLE.test(path) && !isProse(path)) return 'example'
  if (DOCS.test(path)) return 'docs'
  if (BUILT.test(path)) return 'built'
  return CONFIG.test(path) ? 'config' : 'source'
}

/** Whether words in this file are words of the program: code, or files that name the program and its packages. */
export function isCode(path: string): boolean {
  const kind = fileKind(path)
  return kind === 'config' ? MANIFEST.test(path) : kind !== 'docs' && kind !== 'foreign' && kind !== 'noise'
}

export function isProse(path: string): boolean {
  return /\.(md|mdx|markdown|rst|adoc|txt|org|tex)$|(^|\/)readme[^/]*$/i.test(path)
}

/** The same key for a module's copies in several formats: `dist/cjs/a.js`, `esm/a.mjs`, `a.d.ts`, `lib/a.ts`. */
export function moduleKey(path: string): string {
  if (!/\.[cm]?[jt]sx?$/.test(path)) return path
  return path
    .replace(/(^|\/)(dist|build|out|cjs|esm|umd|types|src|lib|source)(?=\/)/g, '')
    .replace(/^\//, '')
    .replace(/[.-](development|production|profiling|debug)(?=\.)/g, '')
    .replace(/(\.d)?\.[cm]?[jt]sx?$/, '')
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** What a file is for, as far as its path tells. */
export type FileKind = 'source' | 'test' | 'docs' | 'config' | 'example' | 'built' | 'noise'

const NOISE =
  /(^|\/)(node_modules|\.git|bower_components|__pycache__|\.venv)\/|(^|\/)(package-lock\.json|pnpm-lock\.yaml|yarn\.lock|[\w.-]+\.lock|go\.sum)$|\.(map|min\.js|min\.css|svg|snap|tsbuildinfo|po|ipynb)$|(^|\/)(change-?log|changes|history|releases?|authors|contributors|license)[^/]*$/i
const TEST =
  /(^|\/)(tests?|__tests__|specs?|testing|testdata|e2e|fixtures?|__mocks__|conformance)\/|[._-](test|spec|tests|e2e)\.[^/]+$|(^|\/)test_[^/]+$|(^|\/)(conftest\.py|[^/]*(Tests?|Spec|TestCase)\.[^/]+)$/
const DOCS = /\.(md|mdx|markdown|rst|adoc|txt|html?|tex|org)$|(^|\/)readme[^/]*$/i
const CONFIG =
  /\.(json|jsonc|json5|ya?ml|toml|ini|cfg|conf|env|properties|xml|lock)$|(^|\/)(dockerfile|makefile|\.[\w-]+rc)$/i
const EXAMPLE =
  /(^|\/)(examples?|samples?|demos?|bench(marks?)?|playground|sandbox|deps|vendor(ed)?|third[_-]party|external|i18n|locales?|lang|translations)\//i
const BUILT =
  /(^|\/)(dist|build|out|target|umd|cjs|esm|lib-cov|coverage|generated)\/|\.(d\.[cm]?ts|cjs|generated\.\w+|pb\.go|_pb2\.py)$/i

export function fileKind(path: string): FileKind {
  if (NOISE.test(path)) return 'noise'
  if (TEST.test(path)) return 'test'
  if (EXAMPLE.test(path)) return 'example'
  if (DOCS.test(path)) return 'docs'
  if (BUILT.test(path)) return 'built'
  return CONFIG.test(path) ? 'config' : 'source'
}

/** Paths under which tests live, as one glob of ripgrep. */
export const testGlob = '{**/*{test,spec,Test,Spec}*,**/*{test,spec,Test,Spec}*/**}'
export const docsGlob = '**/{*.md,*.mdx,*.markdown,*.rst,*.adoc,*.txt,README*}'
export const configGlob =
  '**/{*.json,*.jsonc,*.yaml,*.yml,*.toml,*.ini,*.cfg,*.conf,.env*,Makefile,Dockerfile,*.config.*}'
/** One key for the copies of a module in several formats: `dist/cjs/a.js`, `esm/a.mjs`, `a.d.ts`, `lib/a.ts`. */
export function moduleKey(path: string): string {
  return path
    .replace(/(^|\/)(dist|build|out|cjs|esm|umd|types|src|lib|source)(?=\/)/g, '')
    .replace(/^\//, '')
    .replace(/[.-](development|production|profiling|debug)(?=\.)/g, '')
    .replace(/(\.d)?\.[cm]?[jt]sx?$/, '')
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

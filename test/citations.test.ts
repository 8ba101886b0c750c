import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  anchorsOf,
  findWrongCitations,
  findWrongPagesInStrings,
  INVARIANTS,
} from './support/citations/find-citations.ts'

const ROOT = join(import.meta.dirname, '..')
const CODE = globSync('{src,web/src,test,bench,scripts,examples}/**/*.{ts,tsx,mjs,js,css,c,sql}', {
  cwd: ROOT,
})
const CONFIGS = [...globSync('{*.{ts,mjs,js},{web,.ci}/*.{ts,mjs,html}}', { cwd: ROOT }), '.ci/run']
const PAGES = globSync('{README,ARCHITECTURE,CHANGELOG,{docs,bench,examples}/**/*}.md', { cwd: ROOT })

/** Fixtures are texts of other projects: what they cite is not meant to be here. */
const isOurs = (name: string) => !/(?:^|\/)(?:fixtures|node_modules|corpus|cases)\//.test(name)

describe('a comment or a page cites what is in the repository', () => {
  it('in code', () => {
    const names = [...CODE, ...CONFIGS].filter(isOurs)
    expect(names.length).toBeGreaterThan(1000)
    expect(names.flatMap((name) => findWrongCitations(ROOT, name))).toEqual([])
  })

  it('in what the program says', () => {
    const names = globSync('{src,web/src,scripts,bench}/**/*.{ts,tsx,mjs}', { cwd: ROOT })
    const said = names.filter((name) => isOurs(name) && !/\.test\.tsx?$/.test(name))
    expect(said.length).toBeGreaterThan(500)
    expect(said.flatMap((name) => findWrongPagesInStrings(ROOT, name))).toEqual([])
  })

  it('in pages', () => {
    const names = PAGES.filter(isOurs)
    expect(names.length).toBeGreaterThan(50)
    expect(names.flatMap((name) => findWrongCitations(ROOT, name))).toEqual([])
  })

  it('where a test is named after an invariant, or reports that one does not hold', () => {
    const anchors = anchorsOf(ROOT, INVARIANTS)
    const checks = globSync('test/{kill,sim}/*.ts', { cwd: ROOT })
    const tests = globSync('{src,test}/**/*.test.ts', { cwd: ROOT })
    const numbers = [
      ...checks.flatMap((name) => numbersIn(name, /(?<=['`])(?:[A-Z]\d|§ ?\d*)(?=[:'])/g)),
      ...tests.flatMap((name) =>
        numbersIn(name, /(?<=\b(?:describe|it|test)\('(?:[A-Z]\d, )?)[A-Z]\d(?=[:,])/g),
      ),
    ]
    expect(numbers.length).toBeGreaterThan(70)
    expect(numbers.filter(([, number]) => !anchors.has(number!.toLowerCase()))).toEqual([])
  })
})

function numbersIn(name: string, pattern: RegExp): string[][] {
  return [...readFileSync(join(ROOT, name), 'utf8').matchAll(pattern)].map(([number]) => [name, number])
}

describe('docs/invariants.md', () => {
  const text = readFileSync(join(ROOT, INVARIANTS), 'utf8')
  const [numbered] = text.split('## Promises')
  const blocks = numbered!.split('<a id="').slice(1)

  it('names for each invariant a file that holds it and a test that tries to break it', () => {
    expect(blocks.length).toBeGreaterThan(15)
    for (const block of blocks) {
      expect(block).toMatch(/Held by `src\/[\w/.-]+`/)
      expect(block).toMatch(/tested by .*`(?:(?:src|test)\/[\w/.-]+\.test|test\/(?:sim|kill)\/[\w-]+)\.ts`/)
    }
  })
})

describe('a citation', () => {
  let root: string

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'offshoot-citations-'))
    put('docs/invariants.md', '# Invariants\n\n- <a id="r2"></a>**R2** a promise\n')
    put('docs/store.md', '# The store\n\n## Errors, and what to do\n')
    put('src/core/ids.ts', '')
    put('docs/decisions/0001-one.md', '# 1. One\n')
  })

  afterAll(() => rmSync(root, { recursive: true }))

  function put(name: string, text: string): void {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }

  function wrongIn(name: string, text: string): string[] {
    put(name, text)
    return findWrongCitations(root, name)
  }

  it.each([
    ['// runtime.md says so', 'runtime.md'],
    ['/** As in `runtime.md`. */', 'runtime.md'],
    ['/** As in docs/gone.md. */', 'docs/gone.md'],
    ['/** (docs/store.md#gone) */', 'docs/store.md#gone'],
    ['// see src/core/gone.ts:12', 'src/core/gone.ts'],
    ['// held by test/gone.test.ts.', 'test/gone.test.ts'],
    ['const a = 1 // R8', 'R8'],
    ['/** Once (D3). */', 'D3'],
    ['// store.md §2', '§2'],
    ['// see design/rooms', 'design/rooms'],
    ['// as in core/gone.ts', 'core/gone.ts'],
    ['// what gone.ts says', 'gone.ts'],
    ['// what core/gone.test.ts plays', 'core/gone.test.ts'],
    ['// as runtime.MD says', 'runtime.MD'],
    ['// run by .ci/gone', '.ci/gone'],
    ['// for issue 16', 'issue 16'],
    ['// see decision 99', 'decision 99'],
    ['// see ADR 77', 'decision 77'],
    ['// see decisions 1 and 99', 'decision 99'],
    ['// see ADRs 1, 98', 'decision 98'],
    ['// invariants R2/R99', 'R99'],
    ['// invariants R99/R2', 'R99'],
    ['// invariants R2-R99', 'R99'],
    ['// invariant R199', 'R199'],
    ['// invariant R99.', 'R99'],
    ['// as gone.json has it', 'gone.json'],
    ['// as gone.css has it', 'gone.css'],
    ['// as tools/gone.txt has it', 'tools/gone.txt'],
    ['// made by 0099_gone.sql', '0099_gone.sql'],
    ['// because of rule 4', 'rule 4'],
  ])('in a comment is found where it leads nowhere: %s', (comment, cited) => {
    expect(wrongIn('src/core/a.ts', `\n${comment}\n`)).toEqual([
      expect.stringMatching(new RegExp(`^src/core/a\\.ts:2 cites ${cited}, which is `)),
    ])
  })

  it('by a number alone is found: a reader has to know where it leads', () => {
    expect(wrongIn('src/core/a.ts', '/** Once (R2). */\n')).toHaveLength(1)
    expect(wrongIn('src/core/a.ts', '/** Once (invariant R2). */\n')).toEqual([])
  })

  it('in a component, in a style and in a library in C is found too', () => {
    expect(wrongIn('web/src/a.tsx', 'export const a = <b>{/* R8 */}// R9</b>\n')).toHaveLength(1)
    expect(wrongIn('web/src/a.css', 'a { color: red; } /* ui.md */\n')).toHaveLength(1)
    expect(wrongIn('test/a.c', '#include <a.h> // gone.md\n')).toHaveLength(1)
  })

  it('in a page of HTML and in the script of all tests is found too', () => {
    expect(wrongIn('web/index.html', '<!-- as in ui.md -->\n')).toHaveLength(1)
    expect(wrongIn('.ci/run', 'echo "$#" gone.md # as in gone.md\n')).toEqual([
      '.ci/run:1 cites gone.md, which is not in the repository',
    ])
  })

  it.each([
    "const hint = 'See docs/gone.md.'",
    "const hint = 'docs/store.md#gone tells more'",
    'const hint = `${name}: see docs/gone.md`',
    "const error = new Error('x', { hint: `\\ndocs/gone.md` })",
  ])('of a page, in what the program says, is found: %s', (line) => {
    put('src/core/b.ts', `\n${line}\n`)
    expect(findWrongPagesInStrings(root, 'src/core/b.ts')).toEqual([
      expect.stringMatching(/^src\/core\/b\.ts:2 names docs\/(?:gone\.md|store\.md#gone), which is /),
    ])
  })

  it('of a page that is there, or of another project, may be said', () => {
    put('src/core/b.ts', "const a = 'docs/store.md#errors-and-what-to-do, README.md, /home/me/docs/a.md'\n")
    expect(findWrongPagesInStrings(root, 'src/core/b.ts')).toEqual([])
  })

  it('in a page is found, but not in a block of code', () => {
    const page = 'See `src/gone.ts` and R2.\n\n```ts\n// src/example.ts, R9\n```\n\nR9 is none.\n'
    expect(wrongIn('docs/a.md', page)).toEqual([
      'docs/a.md:1 cites src/gone.ts, which is not in the repository',
      'docs/a.md:7 cites R9, which is no anchor of docs/invariants.md',
    ])
  })

  it.each([
    '// docs/store.md#errors-and-what-to-do, docs/invariants.md#r2, invariant R2',
    '// store.md, src/core/ids.ts and docs/',
    '// AGENTS.md, .claude/agents/critic.md, src/**/*.ts, docs/a{b,c}.md, /home/me/src/a.ts, https://a.example/docs/a.md',
    '// core/ids.ts, ids.ts, decision 1',
    '// C0, C1, V8, UTF8, SHA256, invariants R2/R2',
    "const example = 'src/gone.ts, gone.md, R9'",
  ])('that leads to something, and what is none, is left alone: %s', (line) => {
    expect(wrongIn('src/core/a.ts', line)).toEqual([])
  })
})

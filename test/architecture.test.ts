import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findCycles } from './support/architecture/find-cycles.ts'
import { findForeignImports, findViolations, importsOf } from './support/architecture/find-violations.ts'
import { backArrows, floorsOf, foldersOf, type ImportGraph } from './support/architecture/floors.ts'
import { bagMentions, findBagTakers } from './support/architecture/port-bags.ts'
import { rowWrites } from './support/architecture/row-writes.ts'
import { pictureOf, roomArrows, rowsOf } from './support/architecture/picture.ts'
import { findTwins } from './support/architecture/twins.ts'
import { ORDERS, OVER_LIMITS, PACKAGES, ROOMS } from './support/architecture/rules.ts'
import { findExcesses, findSilentCatches } from './support/architecture/sizes.ts'

const ROOT = join(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}

const page = JSON.parse(readFileSync(join(ROOT, 'web/package.json'), 'utf8')) as {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

describe('the source tree', () => {
  const names = globSync('src/**/*.ts', { cwd: ROOT })
  const tree = new Map(names.map((name) => [name, readFileSync(join(ROOT, name), 'utf8')]))

  it('keeps the rules', () => {
    expect(tree.size).toBeGreaterThan(0)
    expect(findViolations(tree)).toEqual([])
  })
})

/** The rooms of a folder with their arrows, those of the highest floor first. */
function printFloors(graph: ImportGraph, folder: string): void {
  const found = foldersOf(graph).find((each) => each.folder === folder)!
  const floors = Map.groupBy(floorsOf(found), ([, floor]) => floor)
  const arrows = [...found.arrows.values()].reduce((sum, { size }) => sum + size, 0)
  const arrowsOf = (name: string) => [...(found.arrows.get(name)?.keys() ?? [])].toSorted().join(', ')
  const lines = [...floors]
    .toSorted(([a], [b]) => b - a)
    .flatMap(([floor, rooms]) =>
      rooms.map(([name]) => `  ${floor}  ${name} -> ${arrowsOf(name) || 'nothing'}`),
    )
  process.stdout.write(`${folder}: ${found.arrows.size} rooms, ${arrows} arrows\n${lines.join('\n')}\n`)
}

describe('the rooms', () => {
  const trees = { 'src/**/*.ts': ['src', 'src/runtime', 'src/cli'], 'web/src/**/*.{ts,tsx}': ['web/src'] }

  for (const [pattern, shown] of Object.entries(trees)) {
    const names = globSync(pattern, { cwd: ROOT })
    const graph = importsOf(new Map(names.map((name) => [name, readFileSync(join(ROOT, name), 'utf8')])))

    it(`of ${pattern} stand on each other: no import points back`, () => {
      expect(graph.size).toBeGreaterThan(0)
      expect(backArrows(graph, ORDERS)).toEqual([])
      for (const folder of shown) printFloors(graph, folder)
    })
  }

  it('of the runtime are all in the order, and at most five files stand beside them', () => {
    const beside = globSync('src/runtime/*', { cwd: ROOT, withFileTypes: true })
    expect(beside.filter((each) => each.isFile()).length).toBeLessThanOrEqual(5)
    const rooms = beside.filter((each) => each.isDirectory()).map(({ name }) => name)
    expect(rooms.toSorted()).toEqual(ORDERS['src/runtime']!.toSorted())
  })
})

describe('ARCHITECTURE.md', () => {
  const names = globSync('src/**/*.ts', { cwd: ROOT })
  const graph = importsOf(new Map(names.map((name) => [name, readFileSync(join(ROOT, name), 'utf8')])))
  const arrows = roomArrows(foldersOf(graph).find(({ folder }) => folder === 'src')!)
  const order = Object.keys(ROOMS)
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
  const [first, second] = text.match(/^\| room .*\n(?:\|.*\n)+/gm)!.map(rowsOf)

  it('has the rooms of src in the order of the rules, each above those that import it', () => {
    expect(first!.flat()).toEqual(order)
    const back = order.flatMap((from, at) =>
      (arrows.get(from) ?? []).filter((to) => order.indexOf(to) >= at).map((to) => `${from} -> ${to}`),
    )
    expect(back).toEqual([])
  })

  it('has the rooms of the runtime in the order of the rules', () => {
    expect(second!.flat()).toEqual(ORDERS['src/runtime'])
  })

  it('draws the arrows that there are', () => {
    expect(text).toContain(`\`\`\`\n${pictureOf(arrows, order)}\n\`\`\``)
  })

  it('the rules allow no arrow between rooms that there is not', () => {
    for (const [room, allowed] of Object.entries(ROOMS))
      if (allowed !== 'everything') expect([room, allowed.toSorted()]).toEqual([room, arrows.get(room) ?? []])
  })

  it('draws an arrow once, where no other way leads', () => {
    const some = new Map([
      ['c', ['a', 'b']],
      ['b', ['a']],
      ['a', []],
    ])
    expect(pictureOf(some, ['a', 'b', 'c'])).toBe('c ──> b\nb ──> a')
  })
})

describe('rule: the row of a run has one writer, src/runtime/run/held-row.ts', () => {
  it('is kept by the runtime', () => {
    const names = globSync('src/runtime/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] })
    expect(names.length).toBeGreaterThan(0)
    expect(names.flatMap((name) => rowWrites(name, readFileSync(join(ROOT, name), 'utf8')))).toEqual([])
  })

  for (const text of [
    'run.row = { ...run.row, turns: 1 }',
    "run['row'] = next",
    'this.#run.row ??= next',
    'Object.assign(run, { row: next })',
    "Object.defineProperty(run, 'row', { value: next })",
    "run.row.status = 'completed'",
    "(run.row as Changing).status = 'completed'",
    'run.row.usage.input += 1',
    'this.run.row!.turns++',
    'delete run.row.reason',
    "Object.assign(run.row, { status: 'completed' })",
    'Object.assign(run.row as object, next)',
    'Object.assign(row, next)',
    "Object.defineProperty(run.row, 'status', { value: next })",
  ]) {
    it(`finds: ${text}`, () => expect(rowWrites('a.ts', text)).toEqual(['a.ts:1 writes a row']))
  }

  it('allows what reads a row, and the private field of the writer', () => {
    const text = 'const { row } = run; f({ row }); class A { #row; b() { this.#row = run.row } }'
    expect(rowWrites('a.ts', text)).toEqual([])
  })
})

describe('rule: a function names the ports that it uses, and does not take all there are', () => {
  it('is kept by the sources', () => {
    const names = globSync('src/**/*.ts', { cwd: ROOT })
    const tree = new Map(names.map((name) => [name, readFileSync(join(ROOT, name), 'utf8')]))
    expect(findBagTakers(tree)).toEqual([])
  })

  const head = [
    "import type { Deps } from '../context/deps.ts'",
    "import type { RunTree, Scope } from '../context/scope.ts'",
    '',
  ].join('\n')
  const lines = (text: string) => bagMentions('src/runtime/run/a.ts', head + text).map(({ line }) => line)

  for (const text of [
    'export function f(deps: Deps): void {}',
    'export const f = ({ store }: Deps) => store',
    'export class A { readonly #deps: Deps }',
    'export interface A { readonly deps: Deps }',
    'export interface A extends Deps {}',
    "export interface A extends Pick<Scope, 'deps'> {}",
    'type All = Deps',
    'export function f(deps: Partial<Deps>): void {}',
    "export function f(deps: Omit<Deps, 'store'>): void {}",
    'export function f(deps: Pick<Deps, keyof Deps>): void {}',
    "export function f(deps: Pick<Deps, Exclude<keyof Deps, 'store'>>): void {}",
    "export function f(deps: Pick<Deps, 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i'>): void {}",
    'export function f(scope: Scope): void {}',
    "export function f(scope: Pick<Scope, 'deps'>): void {}",
    "export function f(scope: Pick<Scope, 'tree' | 'workspace'>): void {}",
    "export function f(deps: Scope['deps']): void {}",
    'export function f(tree: RunTree): void {}',
    "export function f(deps: import('../context/deps.ts').Deps): void {}",
    'export function f(scope: Parameters<typeof drive>[0]): void {}',
    'export type Given = ConstructorParameters<typeof Runtime>',
    'export function f(scope: Pick<Parameters<typeof drive>[0], keyof Scope>): void {}',
  ]) {
    it(`finds: ${text}`, () => expect(lines(text)).toContain(3))
  }

  it('finds a bag under another name', () => {
    const text =
      "import type { Deps as Ports } from '../context/deps.ts'\nexport const f = (ports: Ports) => ports"
    expect(bagMentions('src/runtime/run/a.ts', text)).toEqual([{ line: 2, what: 'takes all of Deps' }])
    const all = "import type * as context from '../context/deps.ts'"
    expect(bagMentions('src/runtime/run/a.ts', all)).toHaveLength(1)
  })

  for (const text of [
    "export function f(deps: Pick<Deps, 'store' | 'clock'>): void {}",
    "export type EndPorts = Pick<Deps, 'clock'> & Pick<Deps, 'store'>",
    "export function f(limits: Deps['config']['limits']): void {}",
    "export function f(scope: Pick<Scope, 'workspace'>, tree: Pick<RunTree, 'below'>): void {}",
    'export interface Part<Ports extends Partial<Deps>, Members extends keyof RunTree> { deps: Ports; tree: Members }',
    "export interface A extends Pick<Scope, 'workspace' | 'systemText'> {}",
    'export class A implements RunTree {}',
    "export function f(options: Pick<Parameters<typeof open>[0], 'file' | 'now'>): void {}",
  ]) {
    it(`allows: ${text}`, () => expect(lines(text)).toEqual([]))
  }

  it('counts in a file that may take all: neither more nor less than is listed', () => {
    const revive = 'src/runtime/recovery/revive.ts'
    const import_ = "import type { Scope } from '../context/scope.ts'\n"
    const problems = (text: string) =>
      findBagTakers(new Map([[revive, import_ + text]])).filter((each) => each.startsWith(revive))
    expect(problems('export function f(scope: Scope) {}')).toEqual([])
    expect(problems('')).toHaveLength(1)
    expect(problems('export function f(a: Scope, b: Scope) {}')).toHaveLength(2)
  })

  it('is about these types alone, not others of the same name', () => {
    const text = "import type { Scope } from './scope.ts'\nexport const f = (scope: Scope) => scope"
    expect(bagMentions('src/permissions/shell/a.ts', text)).toEqual([])
  })
})

describe('rule: no import points back', () => {
  const back = (graph: Readonly<Record<string, readonly string[]>>, order: readonly string[] = []) =>
    backArrows(new Map(Object.entries(graph)), order.length > 0 ? { 'src/r': order } : {})

  it('finds two rooms that import each other, by other files', () => {
    const graph = { 'src/r/a/x.ts': ['src/r/b/y.ts'], 'src/r/b/z.ts': ['src/r/a/w.ts'] }
    expect(back(graph)).toEqual(['src/r: a -> b -> a: src/r/a/x.ts imports src/r/b/y.ts'])
  })

  it('finds a room and a file beside it that import each other', () => {
    expect(back({ 'src/r/a/x.ts': ['src/r/y.ts'], 'src/r/y.ts': ['src/r/a/w.ts'] })).toHaveLength(1)
  })

  it('finds an import against the order, and a room that is not in it', () => {
    const graph = { 'src/r/a/x.ts': ['src/r/b/y.ts'], 'src/r/b/y.ts': [] }
    expect(back(graph, ['b', 'a'])).toEqual([])
    expect(back(graph, ['a', 'b'])).toEqual(['src/r/a/x.ts imports src/r/b/y.ts, which points back in src/r'])
    expect(back(graph, ['a'])).toContainEqual('src/r/b is not in the order of src/r')
  })

  it('allows what is inside of a room to import the rest of it', () => {
    expect(back({ 'src/r/a/x.ts': ['src/r/a/y.ts'], 'src/r/a/y.ts': ['src/r/b.ts'] })).toEqual([])
  })
})

describe('the sources of the page', () => {
  const packages = Object.keys({ ...page.dependencies, ...page.devDependencies })
  const names = globSync('web/src/**/*.{ts,tsx}', { cwd: ROOT })
  const lines = names.flatMap((name) =>
    readFileSync(join(ROOT, name), 'utf8')
      .split('\n')
      .map((text) => ({ name, text })),
  )

  it('take nothing of the program but its client and its protocol', () => {
    expect(names.length).toBeGreaterThan(0)
    const tree = new Map(names.map((name) => [name, readFileSync(join(ROOT, name), 'utf8')]))
    expect(findForeignImports(tree, packages)).toEqual([])
  })

  for (const text of [
    "import type { RunTree } from '../../../src/runtime/context/scope.ts'",
    "import { drive } from '../../../src/runtime/conversation/drive-run.ts'",
    "import {\n  drive,\n} from '../../../src/runtime/conversation/drive-run.ts'",
    "export * from '../../../src/client/index.ts'",
    "type A = import('../../../src/core/run.ts').Run",
    "const later = import('../../../src/core/run.ts')",
    "const url = import.meta.resolve('../../../src/core/run.ts')",
    "const all = import.meta.glob('../../../src/core/*.ts')",
    'const later = (name: string) => import(name)',
    "import { a } from '../../vite.config.ts'",
    "import { a } from './fixtures/a.ts'",
    "import { createOffshoot } from 'offshoot'",
    "import { a } from 'offshoot/testing'",
    "import { a } from '/src/core/run.ts'",
    "import { readFileSync } from 'node:fs'",
    "import { it } from 'vitest'",
  ]) {
    it(`may not hold: ${text.replaceAll('\n', ' ')}`, () => {
      expect(findForeignImports(new Map([['web/src/chat/a.ts', text]]), packages)).toHaveLength(1)
    })
  }

  it('may import each other, the client, the protocol and the packages of the page', () => {
    const text = [
      "import type { A } from '../ui/a.tsx'",
      "import './a.css'",
      "import { client } from 'offshoot/client'",
      "import { protocol } from 'offshoot/protocol'",
      "import { useState } from 'react'",
      "const page = import('../settings/settings-page.tsx')",
    ].join('\n')
    expect(findForeignImports(new Map([['web/src/chat/a.ts', text]]), packages)).toEqual([])
  })

  it('give the browser no markup', () => {
    const ways =
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcDoc|\beval\(/
    expect(lines.filter(({ text }) => ways.test(text))).toEqual([])
  })
})

describe('the dependencies', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest
  const { offshoot: _itself, ...ofPage } = { ...page.dependencies, ...page.devDependencies }
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies, ...ofPage }

  it('have rooms named for each that the program uses, and for no other', () => {
    expect(Object.keys(PACKAGES).toSorted()).toEqual(Object.keys(dependencies).toSorted())
  })

  it('each have a line in docs/dependencies.md, and no other has', () => {
    const text = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8')
    const described = [...text.matchAll(/^\| `([^`]+)`/gm)].map((match) => match[1]!)
    expect(described.toSorted()).toEqual(Object.keys(all).toSorted())
  })

  it('are pinned to one version', () => {
    expect(Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  })
})

describe('the functions', () => {
  const names = globSync('{src,web/src}/**/*.{ts,tsx}', { cwd: ROOT })
  const tree = new Map(names.map((name) => [name, readFileSync(join(ROOT, name), 'utf8')]))

  it('take at most four parameters, have at most 70 lines, and stand in files of at most 400', () => {
    expect(tree.size).toBeGreaterThan(0)
    const excesses = findExcesses(tree)
    const unknown = excesses.filter(({ where }) => !OVER_LIMITS.includes(where))
    expect(unknown.map(({ where, problem }) => `${where}: ${problem}`)).toEqual([])
    const over = new Set(excesses.map(({ where }) => where))
    expect(OVER_LIMITS.filter((where) => !over.has(where))).toEqual([])
  })

  it('drop no error without a reason', () => {
    expect(findSilentCatches(tree)).toEqual([])
  })
})

describe('rule: small functions', () => {
  const excesses = (text: string) =>
    findExcesses(new Map([['src/a.ts', text]])).map(({ where, problem }) => `${where}: ${problem}`)

  for (const [where, text] of Object.entries({
    f: 'function f(a: 1, b: 2, c: 3, d: 4, e: 5) {}',
    g: 'export const g = async (a: 1, b: 2, c: 3, d: 4, ...e: 5[]) => {}',
    h: 'class C { h(a: 1, b: 2, c: 3, d: 4, e?: 5) {} }',
    i: 'interface I { i(a: 1, b: 2, c: 3, d: 4, e: 5): void }',
    j: 'const o = { j(a: 1, b: 2, c: 3, d: 4, { e }: E) {} }',
    constructor: 'class C { constructor(a: 1, b: 2, c: 3, d: 4, e: 5) {} }',
    k: 'function k(a: 1, b: 2, c: 3, d: 4, e: 5): void; function k() {}',
    l: 'abstract class C { abstract l(a: 1, b: 2, c: 3, d: 4, e: 5): void }',
    m: 'class C { m(a: 1, b: 2, c: 3, d: 4, e: 5): void; m() {} }',
    '': 'type F = (a: 1, b: 2, c: 3, d: 4, e: 5) => void',
  })) {
    it(`finds five parameters: ${text}`, () => {
      expect(excesses(text)).toEqual([`src/a.ts ${where}: line 1: has 5 parameters, more than 4`])
    })
  }

  it.each([
    'interface I { (a: 1, b: 2, c: 3, d: 4, e: 5): void }',
    'type F = new (a: 1, b: 2, c: 3, d: 4, e: 5) => I',
  ])('finds five parameters without a name: %s', (text) => expect(excesses(text)).toHaveLength(1))

  it('allows four, and does not count what this is', () => {
    expect(excesses('function f(this: T, a: 1, b: 2, c: 3, d: 4) {}')).toEqual([])
  })

  it('finds a long function and a long file', () => {
    expect(excesses(`function f() {${'\n'.repeat(69)}}`)).toEqual([])
    expect(excesses(`function f() {${'\n'.repeat(70)}}`)).toEqual([
      'src/a.ts f: line 1: has 71 lines, more than 70',
    ])
    expect(excesses('f()\n'.repeat(400))).toEqual([])
    expect(excesses('f()\n'.repeat(401))).toEqual(['src/a.ts: has 401 lines, more than 400'])
  })

  it('leaves tests and fixtures alone', () => {
    const long = 'f()\n'.repeat(401)
    expect(findExcesses(new Map(['src/a.test.ts', 'src/fixtures/a.ts'].map((name) => [name, long])))).toEqual(
      [],
    )
  })
})

describe('rule: no error is dropped without a reason', () => {
  const found = (text: string) => findSilentCatches(new Map([['src/a.ts', text]]))

  for (const text of [
    'work().catch(() => {})',
    'await work().catch((error) => {})',
    'work().catch(function () {})',
    'work().catch(() => {\n  // nothing\n})',
    'work()?.catch(() => {})',
    'work().then(undefined, () => {})',
    'work().then(next, () => {})',
    'work().catch(() => void 0)',
    'work().catch(() => { void 0 })',
    'work().catch(() => { return })',
    'work().catch(() => { ; return void 0 })',
    'work().catch(Boolean)',
    'work().catch((e) => e)',
    'work().catch((e) => { return e })',
    "import { noop } from './noop.ts'; work().catch(noop)",
    'work().then(next, doNothing)',
    'function f() { try { work() } catch { return } }',
    'try { work() } catch { void 0 }',
    'try { work() } catch {}',
    'try { work() } catch (error) {\n}',
  ]) {
    it(`finds: ${text}`, () => expect(found(text)).toHaveLength(1))
  }

  for (const text of [
    'bestEffort(work())',
    'work().catch(ignoreLostConnection)',
    'work().catch(() => undefined)',
    'work().catch(() => void cleanUp())',
    'work().catch((error) => report(error))',
    'function f() { try { work() } catch {\n  // it may be gone\n  return\n} }',
    'try { work() } catch {\n  // it may be gone\n}',
    'work().then(() => {})',
    '// work().catch(() => {})',
  ]) {
    it(`allows: ${text}`, () => expect(found(text)).toEqual([]))
  }
})

/** What the rules say about a small tree. `core/a.ts` and the like stand below src. */
function violations(files: Record<string, string>): string[] {
  return findViolations(new Map(Object.entries(files).map(([name, text]) => [`src/${name}`, text])))
}

describe('rule: a room imports what the table allows', () => {
  const EMPTY = 'export const x = 1\n'

  for (const room of Object.keys(ROOMS)) {
    const allowed = ROOMS[room]!
    const others = Object.keys(ROOMS).filter((other) => other !== room)
    const wrong = others.filter((other) => allowed !== 'everything' && !allowed.includes(other))

    it(`${room}: exactly these`, () => {
      const imports = others.map((other) => `import type {} from '../${other}/b.ts'\n`).join('')
      const found = violations({
        [`${room}/a.ts`]: imports,
        ...Object.fromEntries(others.map((o) => [`${o}/b.ts`, EMPTY])),
      })
      expect(found).toHaveLength(wrong.length)
      for (const other of wrong) expect(found.join('\n')).toContain(`: ${room} may not import ${other}`)
    })
  }

  const FORMS = {
    import: `import { x } from '../store/b.ts'`,
    'type import': `import type { X } from '../store/b.ts'`,
    'bare import': `import '../store/b.ts'`,
    're-export': `export { x } from '../store/b.ts'`,
    'star re-export': `export * from '../store/b.ts'`,
    'dynamic import': `export const later = () => import('../store/b.ts')`,
    'dynamic import of a template': 'export const later = () => import(`../store/b.ts`)',
    'type query': `export type X = import('../store/b.ts').X`,
    'URL beside the file': `export const worker = new URL('../store/b.ts', import.meta.url)`,
    'URL that import.meta resolves': `export const a = import.meta.resolve('../store/b.ts')`,
    'require of its own': `import { createRequire as make } from 'node:module'; const load = make('/'); load('../store/b.ts')`,
    'require at once': `export const a = module.createRequire(import.meta.url)('../store/b.ts')`,
    'import after a comment': `/* import */ import /* from '../core/b.ts' */ { x } from '../store/b.ts'`,
  }
  for (const [form, text] of Object.entries(FORMS)) {
    it(`sees a ${form}`, () => {
      expect(violations({ 'core/a.ts': text, 'store/b.ts': EMPTY })).toContainEqual(
        expect.stringMatching(/^src\/core\/a\.ts:1 imports/),
      )
    })
  }

  it('is not misled by comments and strings', () => {
    const text = `// import '../store/b.ts'\nexport const s = "import('../store/b.ts')" + \`import '../store/b.ts'\`\n`
    expect(violations({ 'core/a.ts': text, 'store/b.ts': EMPTY })).toEqual([])
  })

  it('gives the line', () => {
    const files = { 'core/a.ts': `\n\nimport '../store/b.ts'\n`, 'store/b.ts': EMPTY }
    expect(violations(files)).toEqual(['src/core/a.ts:3 imports src/store/b.ts: core may not import store'])
  })

  it('allows client only the types of core', () => {
    const core = { 'core/b.ts': EMPTY }
    expect(violations({ ...core, 'client/a.ts': `import type { X } from '../core/b.ts'` })).toEqual([])
    expect(violations({ ...core, 'client/a.ts': `import { x } from '../core/b.ts'` })).toEqual([
      'src/client/a.ts:1 imports src/core/b.ts: client may import only types of core',
    ])
  })

  it('allows src/index.ts and src/testing.ts every room, and the command line src/index.ts', () => {
    const text = `import { x } from './store/b.ts'\n`
    expect(violations({ 'index.ts': text, 'testing.ts': text, 'store/b.ts': EMPTY })).toEqual([])
    expect(violations({ 'index.ts': EMPTY, 'cli/a.ts': `import '../index.ts'` })).toEqual([])
    expect(violations({ 'index.ts': EMPTY, 'store/a.ts': `import '../index.ts'` })).toHaveLength(1)
    expect(violations({ 'testing.ts': EMPTY, 'cli/a.ts': `import '../testing.ts'` })).toHaveLength(1)
  })

  it('allows a test beside its source the support for tests too, and nothing else', () => {
    const text = `import '../testing.ts'\nimport '../../test/support/tree.ts'\n`
    expect(violations({ 'core/a.test.ts': text, 'testing.ts': EMPTY })).toEqual([])
    expect(violations({ 'core/a.ts': text, 'testing.ts': EMPTY })).toHaveLength(2)
    expect(violations({ 'core/a.test.ts': `import '../store/b.ts'`, 'store/b.ts': EMPTY })).toHaveLength(1)
  })

  it('refuses what is no source file of a room', () => {
    expect(violations({ 'core/a.ts': `import './b.js'`, 'core/b.ts': EMPTY })).toHaveLength(1)
    expect(violations({ 'core/a.ts': `import './b'`, 'core/b.ts': EMPTY })).toHaveLength(1)
    expect(violations({ 'cli/a.ts': `import '../../package.json'` })).toHaveLength(1)
    expect(violations({ 'core/a.ts': `import './b.test.ts'`, 'core/b.test.ts': EMPTY })).toHaveLength(1)
    expect(violations({ 'utils/a.ts': EMPTY })).toEqual(['src/utils/a.ts is in no room of the table'])
    expect(violations({ 'helpers.ts': EMPTY })).toEqual(['src/helpers.ts is in no room of the table'])
  })

  it('refuses a fixture in the program', () => {
    const fixture = { 'core/fixtures/b.ts': EMPTY }
    expect(violations({ ...fixture, 'core/a.ts': `import { x } from './fixtures/b.ts'` })).toEqual([
      'src/core/a.ts:1 imports the fixture ./fixtures/b.ts',
    ])
    expect(violations({ ...fixture, 'core/a.ts': `import type { X } from './fixtures/b.ts'` })).toHaveLength(
      1,
    )
    expect(violations({ ...fixture, 'core/a.test.ts': `import './fixtures/b.ts'` })).toEqual([])
    expect(violations({ ...fixture, 'core/fixtures/c.ts': `import './b.ts'` })).toEqual([])
  })

  it('refuses a computed import outside the command line', () => {
    const text = `export const load = (name: string) => import(name)\n`
    expect(violations({ 'cli/a.ts': text })).toEqual([])
    expect(violations({ 'tools/a.ts': text })).toEqual([
      'src/tools/a.ts:1 imports a computed name, which only cli may',
    ])
  })

  it('reports a file that cannot be parsed', () => {
    expect(violations({ 'core/a.ts': 'export const = 1' })).toContainEqual(
      expect.stringContaining('src/core/a.ts cannot be parsed'),
    )
  })
})

describe('rule: no import cycle', () => {
  it('finds a cycle of type imports', () => {
    const a = `import type { B } from './b.ts'\nexport type A = B[]\n`
    const b = `import type { A } from './a.ts'\nexport type B = A[]\n`
    expect(violations({ 'core/a.ts': a, 'core/b.ts': b })).toEqual([
      'import cycle: src/core/a.ts -> src/core/b.ts -> src/core/a.ts',
    ])
  })

  it('finds a file that imports itself, and each of two separate cycles once', () => {
    expect(findCycles(new Map([['a', ['a']]]))).toEqual([['a', 'a']])
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c', 'x']],
      ['c', ['a', 'b']],
      ['x', ['y']],
      ['y', ['x']],
    ])
    expect(findCycles(graph)).toEqual([
      ['a', 'b', 'c', 'a'],
      ['x', 'y', 'x'],
    ])
  })

  it('allows two ways to one file', () => {
    const graph = new Map([
      ['a', ['b', 'c']],
      ['b', ['d']],
      ['c', ['d']],
      ['d', []],
    ])
    expect(findCycles(graph)).toEqual([])
  })
})

describe('rule: one name, one thing', () => {
  const twins = (files: Record<string, string>) =>
    findTwins(new Map(Object.entries(files))).filter((each) => !each.endsWith('is no twin any more'))

  it('is kept by the sources, but for the twins that are listed', () => {
    const names = globSync('{src,web/src}/**/*.{ts,tsx}', { cwd: ROOT })
    expect(names.length).toBeGreaterThan(0)
    expect(findTwins(new Map(names.map((name) => [name, readFileSync(join(ROOT, name), 'utf8')])))).toEqual(
      [],
    )
  })

  for (const [form, text] of Object.entries({
    function: 'export function one() {}',
    constant: 'export const one = 1',
    type: 'export type one = 1',
    class: 'export class one {}',
    list: 'const a = 1; export { a as one }',
  })) {
    it(`finds a ${form} that another file exports too`, () => {
      expect(twins({ 'src/core/a.ts': text, 'src/exec/b.ts': 'export interface one {}' })).toEqual([
        'one is exported by src/core/a.ts, src/exec/b.ts: rename what is not the same',
      ])
    })
  }

  it('finds one of the page beside one of the client', () => {
    const one = 'export const one = 1'
    expect(twins({ 'web/src/ui/a.ts': one, 'src/client/b.ts': one })).toHaveLength(1)
    expect(twins({ 'web/src/ui/a.ts': one, 'src/core/b.ts': one })).toEqual([])
  })

  it('allows what is handed on, a test, a fixture, and a route with the name of what it does', () => {
    const one = 'export const one = 1'
    for (const [name, text] of Object.entries({
      'src/index.ts': "export { one } from './core/a.ts'",
      'src/core/b.ts': "import { one } from './a.ts'; export { one }",
      'src/core/b.test.ts': one,
      'src/core/fixtures/b.ts': one,
      'src/protocol/b.ts': one,
    }))
      expect(twins({ 'src/core/a.ts': one, [name]: text })).toEqual([])
  })
})

describe('rule: no any', () => {
  for (const text of [
    'let x: any',
    'type X = Record<string, any>',
    'const x = y as any',
    'function f(x: any[]) {}',
  ]) {
    it(`finds: ${text}`, () =>
      expect(violations({ 'core/a.ts': text })).toEqual(['src/core/a.ts:1 uses any']))
  }

  it('leaves the word alone', () => {
    expect(violations({ 'core/a.ts': `// any\nexport const any = 'any'\n` })).toEqual([])
  })
})

describe('rule: no barrel but the entries', () => {
  const B = { 'core/b.ts': 'export const x = 1\n' }

  for (const text of [
    `export { x } from './b.ts'`,
    `export * from './b.ts'`,
    `export * as b from './b.ts'`,
    `export type { X } from './b.ts'`,
    `import { x } from './b.ts'; export { x }`,
    `export { z } from 'zod'`,
  ]) {
    it(`finds: ${text}`, () => {
      expect(violations({ ...B, 'core/a.ts': text })).toEqual([
        'src/core/a.ts:1 re-exports, and is no entry file',
      ])
    })
  }

  it('allows entries, and exports of what a file declares', () => {
    expect(violations({ ...B, 'index.ts': `export { x } from './core/b.ts'` })).toEqual([])
    expect(violations({ ...B, 'testing.ts': `export * from './core/b.ts'` })).toEqual([])
    expect(violations({ 'core/a.ts': 'const x = 1\nexport { x }\n' })).toEqual([])
  })

  it('keeps src/index.ts short and by name', () => {
    expect(violations({ ...B, 'index.ts': '// line\n'.repeat(40) })).toEqual([])
    expect(violations({ ...B, 'index.ts': '// line\n'.repeat(41) })).toEqual([
      'src/index.ts has 41 lines, more than 40',
    ])
    expect(violations({ ...B, 'index.ts': `export * from './core/b.ts'` })).toHaveLength(1)
  })
})

describe('rule: a dependency stands in the rooms named for it', () => {
  it('refuses it elsewhere, and a package without rooms everywhere', () => {
    expect(violations({ 'model/a.ts': `import { x } from '@ai-sdk/openai/internal'` })).toEqual([])
    expect(violations({ 'loop/a.ts': `import type { x } from '@ai-sdk/provider'` })).toEqual([
      'src/loop/a.ts:1 imports the package @ai-sdk/provider, which belongs to model',
    ])
    expect(violations({ 'tools/a.ts': `export const load = () => import('unbash')` })).toHaveLength(1)
    expect(violations({ 'core/a.ts': `import { z } from 'zod'` })).toEqual([])
    expect(violations({ 'core/a.ts': `import x from 'left-pad'` })).toEqual([
      'src/core/a.ts:1 imports the package left-pad, for which the rules name no room',
    ])
  })

  it('allows the packages for tests in tests only', () => {
    expect(violations({ 'core/a.test.ts': `import { it } from 'vitest'` })).toEqual([])
    expect(violations({ 'core/a.ts': `import { it } from 'vitest'` })).toHaveLength(1)
  })

  it('keeps child processes and the database in their rooms', () => {
    expect(
      violations({ 'exec/a.ts': `import 'node:child_process'`, 'store/a.ts': `import 'node:sqlite'` }),
    ).toEqual([])
    expect(
      violations({ 'tools/a.ts': `import 'child_process'`, 'runtime/a.ts': `import 'node:sqlite'` }),
    ).toEqual([
      'src/tools/a.ts:1 imports node:child_process, which belongs to exec',
      'src/runtime/a.ts:1 imports node:sqlite, which belongs to store',
    ])
  })

  it('sees a part of Node that is loaded without an import', () => {
    const text = (name: string) => `export const a = process.getBuiltinModule(${name})`
    expect(violations({ 'exec/a.ts': text(`'child_process'`) })).toEqual([])
    expect(violations({ 'tools/a.ts': text(`x ? 'node:http' : 'child_process'`) })).toEqual([
      'src/tools/a.ts:1 imports node:child_process, which belongs to exec',
    ])
    expect(violations({ 'core/a.ts': text(`'node:fs'`) })).toHaveLength(1)
    expect(violations({ 'tools/a.ts': text('name') })).toEqual([
      'src/tools/a.ts:1 imports a computed name, which only cli may',
    ])
  })

  it('allows a require in the rooms named for it', () => {
    const text = `import { createRequire } from 'node:module'\ncreateRequire(import.meta.url)('ajv')`
    expect(violations({ 'agents/a.ts': text })).toEqual([])
    expect(violations({ 'tools/a.ts': text })).toEqual([
      'src/tools/a.ts:2 makes a require, which only agents, cli may',
      'src/tools/a.ts:2 imports the package ajv, which belongs to agents',
    ])
  })

  it('keeps Node out of the pure rooms', () => {
    expect(violations({ 'core/a.ts': `import type { Stats } from 'node:fs'` })).toEqual([
      'src/core/a.ts:1 imports node:fs: core is pure',
    ])
    expect(violations({ 'permissions/a.ts': `import { join } from 'node:path/posix'` })).toEqual([])
    expect(violations({ 'permissions/a.ts': `import { join } from 'path'` })).toHaveLength(1)
    expect(violations({ 'core/a.test.ts': `import 'node:fs'` })).toEqual([])
  })
})

import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { ascii } from '../scripts/ascii.mjs'
import { lightBuiltins } from '../scripts/light-builtins.mjs'

const render = (code: string, name = 'start') => lightBuiltins('first').renderChunk(code, { name })

describe('imports of Node in the bundle of the command', () => {
  test.each([
    ['import fs from "node:fs";', 'const fs = process.getBuiltinModule("node:fs");'],
    ['import { a, b as c } from "node:fs";', 'const { a, b: c } = process.getBuiltinModule("node:fs");'],
    [
      'import fs, { a } from "node:fs/promises";',
      'const fs = process.getBuiltinModule("node:fs/promises"), { a } = process.getBuiltinModule("node:fs/promises");',
    ],
    ['import "node:url";', ''],
    [
      'import start from "node:child_process";',
      'const start = new Proxy({}, { get: (_, name) => process.getBuiltinModule("node:child_process")[name] });',
    ],
    ['import { x } from "./chunk-1.js";', 'import { x } from "./chunk-1.js";'],
    ['const text = `import fs from "node:fs"`;', 'const text = `import fs from "node:fs"`;'],
  ])('%s', (code, expected) => {
    expect(render(`${code}\nlet x;`)).toBe(`${expected}\nlet x;`)
  })

  test('stay in the file that an old Node reads as well', () => {
    expect(render('import fs from "node:fs";', 'first')).toBeNull()
  })

  test('of another form end the build', () => {
    expect(() => render('import * as fs from "node:fs";')).toThrow('import * as fs from "node:fs";')
  })
})

test('what is written has no character beyond ASCII, and says the same', () => {
  const code = 'const all = ["–", `${1}…`, /[“”]/.source, "😀", "a\\n"]'
  const chunk = { type: 'chunk', code }
  ascii().generateBundle(undefined, { chunk } as never)
  expect(chunk.code).toMatch(/^[\0-\x7f]+$/)
  const all: unknown = JSON.parse(runInNewContext(`${chunk.code}; JSON.stringify(all)`) as string)
  expect(all).toEqual(['–', '1…', '[\\u201c\\u201d]', '😀', 'a\n'])
})

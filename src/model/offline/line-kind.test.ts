import { expect, test } from 'vitest'
import { lineKind } from './line-kind.ts'
import { stem, subwords } from './stem.ts'

test.each([
  ['export async function load(path) {', 'a.ts', 'definition', 'load'],
  ['  private readonly parse(text: string): Node {', 'a.ts', 'definition', 'parse'],
  ['export const weigh = (x) => x', 'a.ts', 'definition', 'weigh'],
  ['  const local = weigh(x)', 'a.ts', 'code', ''],
  ['  const inner = (x) => x', 'a.ts', 'definition', 'inner'],
  ['View.prototype.lookup = function lookup(name) {', 'a.js', 'definition', 'lookup'],
  ['  setTimeout (delay, type) {', 'a.js', 'definition', 'setTimeout'],
  ["  run('close', server, function () {", 'a.js', 'code', ''],
  ['  killOnTimeout({', 'a.js', 'code', ''],
  ['  if (ready) {', 'a.js', 'code', ''],
  ['def retry_delay(attempt):', 'a.py', 'definition', 'retry_delay'],
  ['func (r *Router) Route(req *Request) Handler {', 'a.go', 'definition', 'Route'],
  ['pub(crate) fn parse(input: &str) -> Node {', 'a.rs', 'definition', 'parse'],
  ['static int parcel_check(int user)', 'a.c', 'definition', 'parcel_check'],
  ['  public void send(String text) throws IOException {', 'A.java', 'definition', 'send'],
  ['CREATE TABLE IF NOT EXISTS runs (', 'a.sql', 'definition', 'runs'],
  ["it('sorts parcels', () => {", 'a.test.ts', 'test', "'sorts parcels', () => {"],
  ['def test_sorts():', 'test_a.py', 'test', 'test_sorts'],
  ['// sorts', 'a.ts', 'comment', ''],
  ['# sorts', 'a.py', 'comment', ''],
  ["import { weigh } from './weigh.ts'", 'a.ts', 'import', ''],
  ['## Parcels', 'a.md', 'heading', 'Parcels'],
  ['}', 'a.ts', 'trivial', ''],
])('%s (%s): %s %s', (text, path, type, name) => {
  expect(lineKind(text, path)).toEqual({ type, name })
})

test.each([
  ['parcels', 'parcel'],
  ['resolves', 'resolved'],
  ['router', 'routing'],
  ['logging', 'log'],
  ['cookies', 'cookie'],
  ['queries', 'query'],
  ['killed', 'kill'],
  ['cancelled', 'cancel'],
  ['installed', 'install'],
  ['validation', 'validate'],
  ['storage', 'store'],
])('%s and %s have one stem', (a, b) => {
  expect(stem(a)).toBe(stem(b))
})

test('an identifier has the words that it is made of', () => {
  expect(subwords('HTTPServer.checkParcels_v2')).toEqual(['HTTP', 'Server', 'check', 'Parcels', 'v', '2'])
})

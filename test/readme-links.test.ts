import { expect, test } from 'vitest'
import { absoluteLinks, webAddress } from '../scripts/readme-links.mjs'

const ADDRESS = 'https://example.org/us/offshoot'

test('links to files of the repository become absolute, images raw, and others stay', () => {
  const text =
    '![A run](docs/run.svg) [Trust](docs/trust.md#x), [examples](examples), [top](#top), [npm](https://npmjs.com)'
  expect(absoluteLinks(text, ADDRESS)).toBe(
    `![A run](${ADDRESS}/raw/HEAD/docs/run.svg) [Trust](${ADDRESS}/blob/HEAD/docs/trust.md#x), ` +
      `[examples](${ADDRESS}/blob/HEAD/examples), [top](#top), [npm](https://npmjs.com)`,
  )
})

test.each([
  ['git+https://example.org/us/offshoot.git', ADDRESS],
  [{ url: 'https://example.org/us/offshoot/' }, ADDRESS],
  [undefined, undefined],
])('the address in a manifest: %j', (given, address) => {
  expect(webAddress(given)).toBe(address)
})

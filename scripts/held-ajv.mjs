// The checker of schemas loads ajv when it first needs it, with a require that no bundler follows. In the library's bundle
// it is one that the bundler follows, and the code runs as late.

const LOAD = "load(dialect === '7' ? 'ajv' : 'ajv/dist/2020.js')"
const HELD = "(dialect === '7' ? require('ajv') : require('ajv/dist/2020.js'))"

/** The plugin of the bundler. */
export function heldAjv() {
  return {
    name: 'held-ajv',
    transform: {
      filter: { id: /schema-checker\.ts$/ },
      /** @param {string} code */
      handler(code) {
        if (!code.includes(LOAD)) throw new Error('the checker of schemas loads ajv in another way now')
        return code.replace(LOAD, HELD).replace(/const load = createRequire.*\n/, '')
      },
    },
  }
}

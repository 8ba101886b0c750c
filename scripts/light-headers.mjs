// The AI SDK makes a Headers of each request to put its name into `user-agent`. The first Headers of a process makes Node
// load its global fetch whole, which the command never uses: a third of the time from its start to its first request.
// In the bundle of the command they are of this class.
import { fileURLToPath } from 'node:url'

const NAME = /^[\w!#$%&'*+.^`|~-]+$/
/** fetch.spec.whatwg.org/#header-value: bytes, after the white space around them is gone. */
const VALUE = /^[^\0\r\n\u0100-\uffff]*$/

/** What requests need of the global class, with the same errors. */
export class LightHeaders {
  /** @type {Map<string, string>} */
  #values = new Map()

  /** @param {Iterable<readonly [string, string]> | Readonly<Record<string, string>>} [init] */
  constructor(init = {}) {
    for (const [name, value] of Symbol.iterator in init ? init : Object.entries(init))
      this.append(name, value)
  }

  /** @param {string} name */
  get(name) {
    return this.#values.get(checkName(name)) ?? null
  }

  /** @param {string} name */
  has(name) {
    return this.#values.has(checkName(name))
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  set(name, value) {
    this.#values.set(checkName(name), checkValue(value))
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  append(name, value) {
    const [key, added] = [checkName(name), checkValue(value)]
    const before = this.#values.get(key)
    this.#values.set(key, before === undefined ? added : `${before}, ${added}`)
  }

  /** @param {string} name */
  delete(name) {
    this.#values.delete(checkName(name))
  }

  /** @param {(value: string, name: string, headers: this) => void} each */
  forEach(each) {
    for (const [name, value] of this) each(value, name, this)
  }

  /** In the order of their names. */
  entries() {
    return [...this.#values].toSorted(([a], [b]) => (a < b ? -1 : 1)).values()
  }

  [Symbol.iterator]() {
    return this.entries()
  }
}

/** @param {string} name */
function checkName(name) {
  if (NAME.test(name)) return name.toLowerCase()
  throw new TypeError(`${JSON.stringify(name)} is not the name of a header`)
}

/** @param {string} value */
function checkValue(value) {
  const trimmed = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')
  if (VALUE.test(trimmed)) return trimmed
  throw new TypeError('a header has characters that HTTP cannot send')
}

/** The plugin of the bundler. Fails where the AI SDK no longer does what this is for. */
export function lightHeaders() {
  const source = fileURLToPath(import.meta.url)
  return {
    name: 'light-headers',
    transform: {
      filter: { id: /@ai-sdk\/provider-utils\/dist\/index\.m?js$/ },
      /** @param {string} code */
      handler(code) {
        if (!code.includes('new Headers('))
          throw new Error('@ai-sdk/provider-utils makes no Headers any more')
        return `import { LightHeaders as Headers } from ${JSON.stringify(source)}\n${code}`
      },
    },
  }
}

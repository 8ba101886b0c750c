import { randomBytes } from 'node:crypto'
import { Problem } from './problem.ts'
import { cookieOf, isSame } from './token.ts'

const BEARER = /^Bearer ([\w-]+)$/i
const MAX_LINKS = 100

/** Who may ask: whoever has the token, and browsers that came by a link. */
export class Access {
  readonly #token: string
  readonly #cookie: { readonly name: string; readonly value: string }
  readonly #keys = new Set<string>()

  constructor(token: string, port: number) {
    this.#token = token
    this.#cookie = cookieOf(token, port)
  }

  /** A header that is there decides: whoever has a wrong token has no cookie either. @throws Problem 401 */
  check({
    authorization,
    cookie,
  }: {
    readonly authorization?: string | undefined
    readonly cookie?: string | undefined
  }): void {
    if (authorization === undefined ? this.#hasCookie(cookie) : this.#isToken(authorization)) return
    throw new Problem(
      401,
      'unauthorized',
      authorization === undefined ? 'a token is needed' : 'this is not the token',
      'Authorization: Bearer $(cat "$OFFSHOOT_HOME/token"); for a browser offshoot serve prints a link',
    )
  }

  /** A key that lets one browser in, once. Of too many that nobody used the oldest is forgotten. */
  newKey(): string {
    const key = randomBytes(32).toString('base64url')
    this.#keys.add(key)
    if (this.#keys.size > MAX_LINKS) this.#keys.delete(this.#keys.values().next().value!)
    return key
  }

  /** The cookie for whoever brings a key; undefined when it was used before, or never was one. */
  use(key: string): string | undefined {
    const known = [...this.#keys].find((each) => isSame(key, each))
    if (known === undefined || !this.#keys.delete(known)) return undefined
    const { name, value } = this.#cookie
    return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000`
  }

  #isToken(authorization: string): boolean {
    const given = BEARER.exec(authorization)?.[1]
    return given !== undefined && isSame(given, this.#token)
  }

  #hasCookie(header: string | undefined): boolean {
    const { name, value } = this.#cookie
    const given = header
      ?.split(';')
      .map((each) => each.trim())
      .find((each) => each.startsWith(`${name}=`))
    return given !== undefined && isSame(given.slice(name.length + 1), value)
  }
}

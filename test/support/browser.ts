import axe from 'axe-core'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { ScriptedTree, type Actors, type TreeOptions } from './scripted-tree.ts'
import type { StartedProgram } from './started-program.ts'
import type { TestUser } from './test-user.ts'

export interface Screen {
  readonly width: number
  readonly height: number
  readonly theme: 'light' | 'dark'
}

const desktop: Screen = { width: 1280, height: 800, theme: 'light' }
/** Every size in which the page has to be right, in either theme. */
export const sizes = [desktop, { width: 768, height: 1024 }, { width: 390, height: 844 }] as const
export const themes = ['light', 'dark'] as const
/** The rules of axe whose outcome a theme can change. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The real page of the real `serve`, with agents that a script plays, in a real browser. */
export class ServedPage {
  readonly tree: ScriptedTree
  readonly page: Page
  /** What the page has complained about. */
  readonly problems: string[]
  server: StartedProgram
  url: string
  readonly #context: BrowserContext

  private constructor(tree: ScriptedTree, server: StartedProgram, url: string, opened: Opened) {
    this.tree = tree
    this.server = server
    this.url = url
    this.page = opened.page
    this.problems = opened.problems
    this.#context = opened.context
  }

  /** Signed in, at `/`. */
  static async open(actors: Actors, { screen = desktop, ...options }: OpenOptions = {}): Promise<ServedPage> {
    const tree = await ScriptedTree.open(actors, options)
    const server = tree.start('serve', '--port', '0')
    const url = await addressOf(server)
    const opened = await openPage(screen)
    const served = new ServedPage(tree, server, url, opened)
    await served.page.goto(linkOf(server))
    await served.page.getByRole('heading', { name: 'What are we working on?' }).waitFor()
    return served
  }

  get user(): TestUser {
    return this.tree.user
  }

  /** Begins a conversation whose main agent is first told this, and shows it. Returns its id. */
  async begin(text = 'Go.'): Promise<string> {
    await this.page.getByRole('textbox', { name: 'Ask about this project' }).fill(text)
    await this.page.keyboard.press('Enter')
    await this.page.waitForURL(/\/c\/cnv_/)
    return new URL(this.page.url()).pathname.split('/')[2]!
  }

  /** Another tab of the same person. */
  async anotherTab(path = '/'): Promise<Page> {
    const page = await this.#context.newPage()
    watch(page, this.problems)
    await page.goto(this.url + path)
    return page
  }

  /** What somebody else does over HTTP. */
  async call(method: string, path: string, body: object = {}): Promise<unknown> {
    const token = readFileSync(join(this.user.home, 'token'), 'utf8').trim()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = method === 'GET' ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(`${this.url}/api${path}`, { method, headers, ...sent })
    return await answer.json()
  }

  /** Ends the server as a crash would, and starts it again on the same port. */
  async crash(meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const { port } = new URL(this.url)
    this.server.kill('SIGKILL')
    await this.server.ended
    await meanwhile()
    this.server = this.tree.start('serve', '--port', port)
    this.url = await addressOf(this.server)
  }

  /** Into the folder that WEB_SCREENSHOTS names; without one it does nothing. */
  async screenshot(name: string): Promise<void> {
    const folder = process.env['WEB_SCREENSHOTS']
    if (!folder) return
    mkdirSync(folder, { recursive: true })
    await this.page.screenshot({ path: join(folder, `${name}.png`) })
  }

  /** What axe finds that is serious or critical, in both themes, one line each. A screenshot of both. */
  async look(name: string): Promise<string[]> {
    const found: string[] = []
    // Where a finger is used, a dialog with a field is drawn after the keyboard of the screen has come, or has not.
    await this.page.locator('[style*="mask-image"]').first().waitFor({ state: 'detached' })
    for (const theme of themes) {
      found.push(...(await seriousFindings(this.page, theme)))
      await this.screenshot(`${name}-${this.page.viewportSize()!.width}-${theme}`)
    }
    return found
  }

  /** The same at every size. */
  async lookAtEverySize(name: string): Promise<string[]> {
    const found: string[] = []
    for (const { width, height } of sizes) {
      await this.page.setViewportSize({ width, height })
      found.push(...(await this.look(name)))
    }
    return found
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close()
    this.server.kill('SIGKILL')
    await this.server.ended
    await this.tree[Symbol.asyncDispose]()
  }
}

interface OpenOptions extends TreeOptions {
  readonly screen?: Screen
}

interface Opened {
  readonly context: BrowserContext
  readonly page: Page
  readonly problems: string[]
}

let browser: Promise<Browser> | undefined

/** One browser for all tests of a file; a test has a context, with cookies and storage, of its own. */
export async function openPage({ width, height, theme }: Screen): Promise<Opened> {
  browser ??= launch()
  const touch = width < 720
  const context = await (
    await browser
  ).newContext({ viewport: { width, height }, colorScheme: theme, hasTouch: touch, isMobile: touch })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const problems: string[] = []
  watch(page, problems)
  return { context, page, problems }
}

export async function closeBrowser(): Promise<void> {
  const open = browser
  browser = undefined
  await (await open)?.close()
}

function launch(): Promise<Browser> {
  const executablePath = CHROMIUM.find((path) => existsSync(path))
  if (!executablePath)
    throw new Error(
      'These tests need Chromium: apt-get install -y --no-install-recommends chromium (and run them again).',
    )
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] })
}

/** A server that is away, and calls that are refused, are told by the page itself. */
function watch(page: Page, problems: string[]): void {
  page.on('pageerror', (error) => problems.push(`${error.name}: ${error.message}\n${error.stack}`))
  page.on('console', (message) => {
    const isExpected = /Failed to load resource|net::ERR_/.test(message.text())
    if (message.type() === 'error' && !isExpected)
      problems.push(`${message.text()} (${message.location().url}, ${message.args().length} values)`)
  })
}

async function addressOf(server: StartedProgram): Promise<string> {
  await server.untilStdout('listening on ')
  return /listening on (\S+)/.exec(server.stdout)![1]!
}

function linkOf(server: StartedProgram): string {
  return /open (\S+)/.exec(server.stderr)![1]!
}

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** Everything in the light; of the dark, what colours can change. The page stays in this theme. */
export async function seriousFindings(page: Page, theme: Screen['theme']): Promise<string[]> {
  // As a debugger does it: the policy of the page allows no script of somebody else.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  // without motion a colour is at once what it becomes
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  const options = theme === 'dark' ? { runOnly: COLOUR_RULES } : {}
  const { violations } = await page.evaluate<{ violations: readonly Finding[] }>(
    `axe.run(${JSON.stringify(options)})`,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${theme}: ${id}: ${html}\n${failureSummary}`),
    )
}

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { httpSite, type Site } from '../../src/tools/web/fixtures/site.ts'
import { TestBuild } from '../mutants/test-build.ts'
import type { Mechanism } from '../support/faults.ts'
import { providerEnvironment, startModelServer, type ModelServer } from '../support/model-server.ts'
import { processesWith, type StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'
import type { Acknowledged, Granted, Sent, ToldEvent, Witness } from './check.ts'
import type { Feature } from './features.ts'
import { leftProcesses, livingProcess } from './records.ts'
import { answerOf, PAGES, workspaceOf, type Story } from './story.ts'

export const MODEL = 'openai-compatible/story'

export interface WorldOptions {
  readonly off?: Mechanism | undefined
  /** How many pages the store of its first program has. */
  readonly pages?: number | undefined
  readonly features?: ReadonlySet<Feature>
}

/** A person with a workspace, a model and a page behind HTTP, and all that was seen of the programs that they start. */
export class World implements AsyncDisposable {
  readonly user: TestUser
  readonly acknowledged: Acknowledged[] = []
  /** All that somebody has said, whether it was taken or not. */
  readonly sent: Sent[] = []
  readonly granted: Granted[] = []
  /** Whether a run was begun on a fork at a terminal. */
  hasForked = false
  /** Durable events that a server has sent. */
  readonly streamed: ToldEvent[] = []
  /** How many programs were asked to end. */
  signals = 0
  /** Whether its files stay when it is closed. */
  keeps = true
  readonly openApprovals = new Set<string>()
  readonly #programs: StartedProgram[] = []
  readonly #openedAt = Date.now()
  readonly #log: string[] = []
  readonly #model: ModelServer
  readonly #site: Site
  readonly #build: TestBuild

  static async open(stories: readonly Story[], options: WorldOptions = {}): Promise<World> {
    const model = await startModelServer()
    model.respond((request) => answerOf(stories, request, options.features))
    const site = await httpSite(({ url }, response) =>
      response.setHeader('content-type', 'text/plain').end(`The page ${url}.\n`),
    )
    const world = new World(model, site, options)
    await world.user.trust()
    return world
  }

  constructor(model: ModelServer, site: Site, { off, features }: WorldOptions) {
    this.user = new TestUser(workspaceOf(features))
    this.#model = model
    this.#site = site
    this.#build = new TestBuild(off)
  }

  /** The test build as a process of its own, which leads a group. */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): StartedProgram {
    const network = { names: { [PAGES]: ['93.184.216.34'] }, ports: { '*:80': this.#site.port } }
    const program = this.user.start(args, {
      detached: true,
      main: this.#build.main,
      env: {
        ...providerEnvironment('openai-compatible', this.#model.url),
        TEST_NETWORK: JSON.stringify(network),
        ...this.#build.env,
        ...env,
      },
    })
    this.#programs.push(program)
    this.hasForked ||= args[0] === 'fork'
    this.note(`${program.pid} ${args.join(' ')} ${env['TEST_FAULT'] ?? ''}`)
    void program.ended.then(({ code, signal }) => this.note(`${program.pid} ended: ${signal ?? code}`))
    return program
  }

  /** Somebody says something now; they may never hear whether it was taken. */
  send(text: string, isSteer: boolean): Sent {
    const sent: Sent = { text, sentAt: Date.now(), isSteer }
    this.sent.push(sent)
    return sent
  }

  note(text: string): void {
    this.#log.push(`${String(Date.now() - this.#openedAt).padStart(6)} ms  ${text}\n`)
  }

  /** Leaves what was started when, and what the programs said, beside their files. */
  writeLog(): void {
    const outputs = this.#programs.map(({ pid, stdout, stderr }) => `\n--- ${pid}\n${stdout}${stderr}`)
    writeFileSync(join(this.user.root, 'log.txt'), [...this.#log, ...outputs].join(''))
  }

  witness(): Witness {
    const { acknowledged, openApprovals, sent, granted, hasForked } = this
    // the page shows what its stream says
    const shown = this.streamed.map((event) => `${JSON.stringify(event)}\n`)
    const said = [...this.#programs.map(({ stderr }) => stderr), ...shown].join('')
    const told = [...this.#programs.flatMap(toldBy), ...this.streamed]
    return { told, said, acknowledged, openApprovals, sent, granted, hasForked }
  }

  /** What lives of what this owner has started, by its mark, or by what the commands wrote of what they left. */
  processesOf(owner: string, { parts }: Story): string[] {
    const marked = processesWith(`OFFSHOOT_OWNER=${owner}`).map((pid) => `process ${pid}`)
    return [...marked, ...this.#left((key) => parts.has(key.split('-')[0]!))]
  }

  #left(isMeant = (_key: string) => true): string[] {
    return leftProcesses(this.user.directory)
      .filter(({ key }) => isMeant(key))
      .map((one) => ({ ...one, pid: livingProcess(one) }))
      .filter(({ pid }) => pid !== undefined)
      .map(({ key, pid }) => `what ${key} left, process ${pid}`)
  }

  /** The programs, their guards and their commands, as far as their environment says whose they are. */
  everything(): string[] {
    return [...processesWith(`HOME=${this.user.root}`).map((pid) => `process ${pid}`), ...this.#left()]
  }

  /** Ends what is left, which is something only after a violation. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of processesWith(`HOME=${this.user.root}`)) process.kill(pid, 'SIGKILL')
    for (const one of leftProcesses(this.user.directory)) {
      const pid = livingProcess(one)
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
    }
    await Promise.all(this.#programs.map(({ ended }) => ended))
    this.#build[Symbol.dispose]()
    await this.#model.close()
    await this.#site[Symbol.asyncDispose]()
    if (!this.keeps) this.user.remove()
  }
}

/** Whole lines alone: a program that is killed may be in the middle of one. */
function toldBy({ stdout }: StartedProgram): ToldEvent[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{"'))
    .map((line) => JSON.parse(line) as ToldEvent & { readonly sub?: number })
    .filter((event) => event.sub === undefined && event.seq !== undefined)
}

import { getRequestListener } from '@hono/node-server'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { errorMessage, OffshootError } from '../core/errors.ts'
import type { ConversationId } from '../core/ids.ts'
import { sleep, type Clock } from '../core/clock.ts'
import { bestEffort } from '../core/rejections.ts'
import type { RecoveredRun, TellUnknown } from '../runtime/run/recovered-run.ts'
import type { ComposeOptions, TestPorts } from '../runtime/host/compose.ts'
import { Access } from './access.ts'
import { createApp } from './app.ts'
import { namesOf, type Names } from './host-and-origin.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import { secretMask } from '../config/known-secrets.ts'
import { Hub } from './event-hub.ts'
import { openPageFiles } from './page-files.ts'
import { Problem, problemBody } from './problem.ts'
import { LinkKeys } from './sessions/link-keys.ts'
import { Sessions } from './sessions/sessions.ts'
import { linkTo } from './sessions/sign-in.ts'
import { runningServer, writeServerFile } from '../runtime/ownership/server-file.ts'
import { installationToken } from './installation-token.ts'
import { createUnread } from './unroutable-requests.ts'
import { DirectoryRuntimes, type Store } from './directory-runtimes.ts'

export interface ServerOptions extends Pick<ComposeOptions, 'env'>, TestPorts {
  /** 0: any free port. */
  readonly port: number
  readonly host: string
  /** Default directory of conversations. */
  readonly directory: string
  /** The user's data directory: token and server.json. */
  readonly home: string
  /** Whoever opened it closes it, after the server. */
  readonly store: Store
  readonly clock: Clock
  readonly version: string
  /** The built page. */
  readonly pages: string
  /** Prints one line for whoever started it. */
  readonly log: (line: string) => void
  /** Default: observers read it in the events. */
  readonly tellUnknown?: TellUnknown | undefined
}

export interface RunningServer {
  readonly port: number
  /** `http://127.0.0.1:4680` */
  readonly url: string
  /** Creates a link that signs in one browser, once, within ten minutes. */
  newLink(): string
  /** Resumes the runs of processes that have exited, in every directory. Never rejects. */
  recover(onRecovered?: OnRecovered): Promise<void>
  /**
   * Stops accepting requests, notifies every client, pauses what it drives, and stops every child process. Never
   * rejects.
   */
  close(): Promise<void>
}

/** Called for each directory with recovered work. */
export type OnRecovered = (directory: string, runs: readonly RecoveredRun[]) => void

/** An incomplete request holds its connection no longer than this. Milliseconds. */
const PATIENCE = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  requireHostHeader: false, // a request without one is refused like one with a foreign host
}

/** Earlier requests are answered if that takes no longer. Milliseconds. */
const LAST_ANSWERS_MS = 1_000

/**
 * @throws OffshootError `conflict` if the port is in use or another server uses the store, `usage` for an unusable host
 * or port, and errors of the token.
 */
export async function openServer(options: ServerOptions): Promise<RunningServer> {
  const { store, clock, env, home, directory, version, log } = options
  checkAlone(home)
  const token = installationToken(home)
  const server = createServer(PATIENCE)
  const port = await listen(server, options)
  const removeFile = tryOrClose(server, () => writeServerFile(home, port))
  const url = `http://${shownHost(options.host)}:${port}`
  const sessions = new Sessions({ home, token, port, clock, log })
  const keys = new LinkKeys(clock)
  const names = allNames(port, options.host)
  const access = new Access(token, sessions)
  const onWarning = (where: string, warning: string) => log(`${where}: ${warning}`)
  const directoryRuntimes = new DirectoryRuntimes({ ...options, fallback: home, onWarning })
  const secrets = secretMask(env, [token])
  const hub = new Hub(store, clock, secrets)
  const ending = new AbortController()
  const underway = new Set<Promise<unknown>>()
  const context = { store, secrets, clock, directoryRuntimes, hub, sessions, directory, version, underway }
  const app = createApp({
    context,
    names,
    access,
    keys,
    pages: openPageFiles(options.pages),
    url,
    ending: ending.signal,
    onDefect: (error) => log(`a request failed: ${errorMessage(error)}`),
  })
  const listener = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: () => refusal(new Problem(400, 'malformed', 'the request target is not a path')),
  })
  const unread = createUnread(names, access)
  server.on('request', (incoming, outgoing) => {
    if (!unread.refuses(incoming, outgoing)) void listener(incoming, outgoing)
  })
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing))
  server.on('connect', unread.refuseTunnel)
  server.on('clientError', unread.refuseBroken)
  return {
    port,
    url,
    newLink: () => linkTo(url, keys),
    recover: (onRecovered = () => {}) =>
      recoverAll(directoryRuntimes, { clock, ending: ending.signal, onRecovered, log }),
    async close() {
      removeFile()
      ending.abort()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      directoryRuntimes.pause()
      await Promise.race([Promise.allSettled(context.underway), sleep(clock, LAST_ANSWERS_MS)])
      await directoryRuntimes.close()
      hub.close()
      sessions.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function tryOrClose<T>(server: Server, work: () => T): T {
  try {
    return work()
  } catch (error) {
    server.close() // it would keep the process alive
    throw error
  }
}

/** @throws OffshootError `conflict` with the address of the other one */
function checkAlone(home: string): void {
  const other = runningServer(home)
  if (!other) return
  const { port, pid } = other
  throw new OffshootError(
    'conflict',
    `another offshoot serve already uses this store: pid ${pid}, port ${port}`,
    {
      hint: 'offshoot sessions link prints a link that opens it; or stop it first; for a separate store and server, set another OFFSHOOT_HOME',
    },
  )
}

async function listen(server: Server, { port, host }: ServerOptions): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ port, host }, resolve)
  try {
    await promise
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, port, host)
  }
  server.off('error', reject)
  server.on('error', () => {}) // an error of one connection: the others continue
  return (server.address() as AddressInfo).port
}

function listenError(cause: NodeJS.ErrnoException, port: number, host: string): OffshootError {
  if (cause.code === 'EADDRINUSE')
    return new OffshootError('conflict', `port ${port} of ${host} is in use`, {
      cause,
      hint: 'offshoot serve --port N uses another port; if a server of this store listens there, offshoot sessions link prints a link that opens it',
    })
  return new OffshootError('usage', `cannot listen on ${host}, port ${port}: ${errorMessage(cause)}`, {
    cause,
  })
}

/** A wildcard address stands for all addresses of the machine. */
function allNames(port: number, host: string): Names {
  const all = host === '0.0.0.0' || host === '::' ? Object.values(networkInterfaces()).flat() : []
  const each = [host, ...all.map((at) => at?.address ?? host)].map((name) => namesOf(port, name))
  return {
    hosts: new Set(each.flatMap(({ hosts }) => [...hosts])),
    origins: new Set(each.flatMap(({ origins }) => [...origins])),
  }
}

function shownHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

function refusal(problem: Problem): Response {
  return Response.json(problemBody(problem), { status: problem.status, headers: SECURITY_HEADERS })
}

interface RecoveryPorts {
  readonly clock: Clock
  /** Aborted when the server stops. */
  readonly ending: AbortSignal
  readonly onRecovered: OnRecovered
  readonly log: (line: string) => void
}

/**
 * Recovers what is left, then keeps checking in the background: a lease held just now would otherwise block recovery
 * permanently. Items left unread for a paused branch are not retried.
 */
async function recoverAll(
  directoryRuntimes: DirectoryRuntimes,
  { clock, ending, onRecovered, log }: RecoveryPorts,
): Promise<void> {
  const tried = new Set<ConversationId>()
  const reported = new Set<string>()
  const reportOnce = (problem: string) => {
    if (!reported.has(problem) && !ending.aborted) log(problem)
    reported.add(problem)
  }
  /** One directory at a time; a missing directory or a wrong configuration does not delay the others. */
  const pass = async () => {
    const left = directoryRuntimes.left().filter(({ id, hasOpenRuns }) => hasOpenRuns || !tried.has(id))
    for (const [directory, own] of Map.groupBy(left, (each) => each.directory)) {
      if (ending.aborted) return
      try {
        const directoryRuntime = await directoryRuntimes.at(directory)
        await directoryRuntime.recover((runs) => onRecovered(directory, runs))
        for (const { id } of own) tried.add(id)
      } catch (error) {
        reportOnce(`not resumed, in ${directory}: ${errorMessage(error)}`)
      }
    }
  }
  const look = () =>
    pass().catch((error: unknown) =>
      reportOnce(`cannot look for the runs of exited processes: ${errorMessage(error)}`),
    )
  const watch = async () => {
    for (;;) {
      await sleep(clock, LOOK_MS, ending)
      await look()
    }
  }
  await look()
  void bestEffort(watch()) // it ends with the server
}

/** How often to look for runs of exited processes. */
const LOOK_MS = 2_000

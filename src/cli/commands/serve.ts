import { InvalidArgumentError, Option, type Command } from 'commander'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { errorMessage, OffshootError } from '../../core/errors.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { runProcess } from '../../exec/run-process.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { dataHome } from '../../config/homes.ts'
import type { RunningServer } from '../../server/server.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import type { EndSignal } from '../early-signals.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import { writeStderr, write, type Io } from '../io.ts'
import { openOrCreateStore } from '../open-store.ts'
import { recoveredText, resumedUnknownLines, tellUnknownOn } from '../terminal/recovered-text.ts'
import { version } from '../version.ts'

interface ServeFlags {
  readonly port: number
  readonly host: string
  /** In the words of opencode. */
  readonly hostname?: string
  readonly open?: true
  readonly expose?: true
}

export function serveCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  program
    .command('serve')
    .description('start a local server with a web page; it resumes conversations whose process has died')
    .option('--port <n>', 'listen on this port; 0 picks a free one', port, 4680)
    .option(
      '--host <address>',
      'listen on this address; any other than 127.0.0.1 needs --expose',
      '127.0.0.1',
    )
    .addOption(new Option('--hostname <address>').hideHelp())
    .option('--expose', 'let other machines connect; needs --host')
    .option('--open', 'open the page in a browser')
    .action(async (flags: ServeFlags) => setExitCode(await serve(flags, io)))
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** In a clone the page is built where it is older than its source; what is published brings it along. */
async function buildPage(io: Io): Promise<void> {
  const script = join(ROOT, 'scripts/build-web.mjs')
  if (!existsSync(script)) return
  const { buildWebIfOlder } = (await import(pathToFileURL(script).href)) as {
    buildWebIfOlder(): Promise<boolean>
  }
  try {
    await buildWebIfOlder()
  } catch (error) {
    await writeStderr(
      io,
      `offshoot: the page for browsers could not be built: ${terminalLine(errorMessage(error))}\n`,
    )
  }
}

async function serve(flags: ServeFlags, io: Io): Promise<number> {
  checkHost(flags)
  await buildPage(io)
  const { openServer } = await import('../../server/server.ts') // nothing else has to load it
  await using store = await openOrCreateStore(io)
  const line = (text: string) => void writeStderr(io, `offshoot: ${terminalLine(text)}\n`)
  const server = await openServer({
    ...flags,
    ...io.testPorts,
    env: io.env,
    directory: createWorkspace(io.cwd).root,
    home: dataHome(io.env),
    store,
    clock: systemClock,
    version: version(),
    pages: join(ROOT, 'web/dist'),
    log: line,
    tellUnknown: tellUnknownOn(io),
  })
  const signalled = untilSignal(server, io)
  if (flags.expose && !isLoopback(flags.host))
    line(
      `${flags.host} is open to other machines: anyone with the token or a link can run commands here with your rights`,
    )
  const link = server.newLink()
  line(`open ${link} (it works once, for ten minutes; offshoot sessions link prints another)`)
  await write(io, `listening on ${server.url}\n`)
  if (flags.open) void openPage(link, io)
  await server.recover((directory, runs) => {
    line(`${recoveredText(runs)}, in ${directory}`)
    resumedUnknownLines(runs).forEach(line)
  })
  return await signalled
}

/** A process gets SIGTERM, then SIGKILL after 5 s: by then everything has ended, or never will. */
const STOP_MS = 8_000

/**
 * The first signal ends it, and pauses what it drives. After 8 s, or at the second signal, the process ends as it stands:
 * its guard ends what is left below it, and the next one takes up its runs.
 */
async function untilSignal(server: RunningServer, io: Io): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<EndSignal>()
  let first: EndSignal | undefined
  io.onSignal((signal) => {
    if (first) io.exit(exitCodes[first])
    first ??= signal
    resolve(signal)
  })
  const code = exitCodes[await promise]
  systemClock.after(STOP_MS, () => io.exit(code)) // it holds nobody who is done before
  await server.close()
  return code
}

/** By which a program finds the desktop. */
const DESKTOP = ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS', 'BROWSER']

async function openPage(link: string, io: Io): Promise<void> {
  const { env, cwd } = io
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const marks = Object.fromEntries(DESKTOP.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
  const opened = runProcess({
    program,
    args: [link],
    directory: cwd,
    marks,
    environment: env,
    timeoutMs: 10_000,
  })
  const isOpen = await opened.then(({ exitCode }) => exitCode === 0).catch(() => false)
  if (!isOpen)
    await writeStderr(io, `offshoot: ${program} could not open a browser; the link above still works\n`)
}

function port(text: string): number {
  const value = Number(text)
  if (/^\d{1,5}$/.test(text) && value <= 65_535) return value
  throw new InvalidArgumentError('Expected a port: 0 to 65535.')
}

function checkHost({ host, hostname, expose }: ServeFlags): void {
  if (hostname !== undefined)
    throw new OffshootError('usage', '--hostname: the option has another name', {
      hint: 'use --host ADDRESS',
    })
  if (expose || isLoopback(host)) return
  throw new OffshootError('usage', `--host ${host.slice(0, 100)} would let other machines connect`, {
    hint: 'add --expose to allow that: anyone with the token can then run commands here with your rights',
  })
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

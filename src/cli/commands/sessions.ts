import type { Command } from 'commander'
import { OffshootError } from '../../core/errors.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { systemClock } from '../../exec/system-clock.ts'
import type { SessionRow } from '../../protocol/session.ts'
import { dataHome } from '../../config/homes.ts'
import { readSessions, writeSessions } from '../../server/sessions/session-file.ts'
import { write, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'
import { noteEmpty } from '../terminal/note-empty.ts'
import { findServer, type FoundServer } from '../remote/server-call.ts'
import { unknownSubcommand } from './group-command.ts'

interface ListFlags {
  readonly json?: true
}

export function sessionsCommand(program: Command, io: Io): void {
  const description = 'list the browsers that are signed in to the page'
  const command = program.command('sessions').description(description)
  command.option('--json', 'print one JSON array').commandsGroup('Commands:').helpCommand(false)
  command.allowExcessArguments().action(async (flags: ListFlags) => {
    if (command.args.length > 0) throw unknownSubcommand(command)
    await list(flags, io)
  })
  command
    .command('ls')
    .description('list the sessions')
    .option('--json', 'print one JSON array')
    .action(() => list(command.opts(), io))
  command
    .command('link')
    .description('print a link that signs one browser in; it works once, for ten minutes')
    .action(() => link(io))
  command
    .command('revoke')
    .description('sign a browser out at once')
    .argument('[session]', 'the id of a session, or a unique prefix')
    .option('--all', 'sign every browser out')
    .action((id: string | undefined, { all }: { all?: true }) => revoke(id, all ?? false, io))
}

async function list({ json }: ListFlags, io: Io): Promise<void> {
  const sessions = await sessionsOf(io)
  if (json) return await write(io, jsonLine(sessions))
  if (sessions.length === 0) {
    const next = findServer(io) ? 'offshoot sessions link prints a link that' : 'offshoot serve --open'
    return await noteEmpty(io, 'no browser is signed in', `${next} signs one in`)
  }
  await write(io, sessions.map(line).join(''))
}

/** Those that a running server knows, else those that are kept for the next one. */
async function sessionsOf(io: Io): Promise<readonly Omit<SessionRow, 'isCurrent'>[]> {
  const server = findServer(io)
  if (server) {
    const rows = await server.get<SessionRow[]>('/sessions')
    return rows.map(({ isCurrent: _, ...row }) => row)
  }
  const live = readSessions(dataHome(io.env)).filter(({ expiresAt }) => expiresAt > systemClock.now())
  return live.toReversed().map(({ hash: _, ...row }) => row)
}

function line({ id, port, createdAt, usedAt, expiresAt, browser }: Omit<SessionRow, 'isCurrent'>): string {
  const times = `since ${minute(createdAt)}  used ${minute(usedAt)}  ends ${minute(expiresAt)}`
  return `${id}  port ${String(port).padEnd(5)}  ${times}  ${terminalLine(browser)}\n`
}

function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}

async function link(io: Io): Promise<void> {
  const server = findServer(io)
  if (!server)
    throw new OffshootError('usage', 'no offshoot serve is running', {
      hint: 'offshoot serve starts one, and prints a link',
    })
  const { url } = await server.post<{ url: string }>('/links', {})
  await write(io, `${url}\n`)
}

async function revoke(id: string | undefined, isAll: boolean, io: Io): Promise<void> {
  if ((id === undefined) !== isAll)
    throw new OffshootError('usage', 'expected the id of a session or --all', {
      hint: 'offshoot sessions prints the ids',
    })
  const whole = id && (await wholeSession(id, io))
  const server = findServer(io)
  const ended = server ? await revokeThere(server, whole) : revokeHere(whole, io)
  await write(io, `revoked: ${whole ?? (ended === 1 ? '1 session' : `${ended} sessions`)}\n`)
}

/** The only session whose id starts so; anything else stays as it is. @throws OffshootError `usage` where several do. */
async function wholeSession(typed: string, io: Io): Promise<string> {
  const wanted = typed.startsWith('ses_') ? typed : `ses_${typed}`
  const found = (await sessionsOf(io)).filter(({ id }) => id.startsWith(wanted.toLowerCase()))
  if (found.length > 1)
    throw new OffshootError(
      'usage',
      `${typed} is ambiguous: several sessions start with it: ${found.map(({ id }) => id).join(', ')}`,
      { hint: 'type more of the id' },
    )
  return found[0]?.id ?? typed
}

async function revokeThere(server: FoundServer, id: string | undefined): Promise<number> {
  if (id === undefined) return (await server.delete<{ ended: number }>('/sessions')).ended
  await server.delete(`/sessions/${encodeURIComponent(id)}`)
  return 1
}

function revokeHere(id: string | undefined, io: Io): number {
  const home = dataHome(io.env)
  const all = readSessions(home)
  const left = id === undefined ? [] : all.filter((each) => each.id !== id)
  if (id !== undefined && left.length === all.length)
    throw new OffshootError('not_found', `there is no session ${id.slice(0, 100)}`, {
      hint: 'offshoot sessions lists them',
    })
  if (all.length > 0) writeSessions(home, left)
  return all.length - left.length
}

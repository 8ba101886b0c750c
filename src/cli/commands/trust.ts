import { Option, type Command } from 'commander'
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { OffshootError } from '../../core/errors.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { giveTrust, listTrust, revokeTrust } from '../../project/give-trust.ts'
import { heldBack, loadProject, shownRequest, type TrustState } from '../../project/project.ts'
import { countText, kindsText } from '../../trust/request-text.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { askTrust, requestLines } from '../terminal/ask-trust.ts'
import { hasPerson } from '../person-only-commands.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import { writeStderr, write, type Io } from '../io.ts'
import { noteEmpty } from '../terminal/note-empty.ts'
import { jsonLine } from '../terminal/json-line.ts'

interface TrustFlags {
  readonly list?: true
  readonly revoke?: true
  readonly dryRun?: true
  readonly json?: true
}

export function trustCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  program
    .command('trust')
    .description('trust what the files of a directory request; without a terminal it does not ask')
    .argument('[dir]', 'default: the current directory')
    .addOption(new Option('--list', 'list the directories that you trust').conflicts(['revoke', 'dryRun']))
    .addOption(new Option('--revoke', 'stop trusting the directory').conflicts('dryRun'))
    .option('--dry-run', 'only list the requests')
    .option('--json', 'print JSON on one line')
    .action(async (directory: string | undefined, flags: TrustFlags) =>
      setExitCode(await trust(directory, flags, io)),
    )
}

async function trust(directory: string | undefined, flags: TrustFlags, io: Io): Promise<number> {
  if (flags.list) return await list(directory, flags, io)
  if (flags.revoke) return await revoke(realOrTyped(resolve(io.cwd, directory ?? '.')), flags, io)
  const { root } = createWorkspace(resolve(io.cwd, directory ?? '.'))
  const { trust: state } = await loadProject(root, io.env)
  if (flags.dryRun) return await show(state, flags, io)
  if (heldBack(state).length > 0 && hasPerson(io) && !(await askTrust(state, io))) {
    await writeStderr(io, 'offshoot: nothing was granted\n')
    return exitCodes.failed
  }
  return await show(await giveTrust(root, state.digest, io.env), flags, io)
}

async function show(state: TrustState, { json }: TrustFlags, io: Io): Promise<number> {
  const { directory, digest, problem } = state
  const requests = state.requests.map(shownRequest)
  const trusted = heldBack(state).length === 0
  if (json) await write(io, jsonLine({ directory, digest, trusted, problem, requests }))
  else await write(io, stateText(state))
  return exitCodes.completed
}

function stateText(state: TrustState): string {
  const place = terminalLine(state.directory)
  if (state.requests.length === 0) return `${place}: its files request nothing that needs a grant\n`
  const held = heldBack(state)
  const granted = state.requests.filter((each) => each.granted)
  return [
    ...(state.problem === null ? [] : [`${terminalLine(state.problem)}\n`]),
    ...(granted.length > 0
      ? [`${place}: granted, ${countText(granted.length)}${kindsText(granted)}\n`, requestLines(granted)]
      : []),
    ...(held.length > 0
      ? [`${place}: not granted, ${countText(held.length)}${kindsText(held)}\n`, requestLines(held)]
      : []),
  ].join('')
}

async function list(directory: string | undefined, { json }: TrustFlags, io: Io): Promise<number> {
  if (directory !== undefined)
    throw new OffshootError('usage', '--list takes no directory', {
      hint: 'offshoot trust --dry-run DIR shows what is granted there',
    })
  const all = Object.entries(listTrust(io.env)).map(([place, { trustedAt, files }]) => ({
    directory: place,
    trustedAt,
    files: Object.entries(files).map(([file, { sha256, accepted }]) => ({
      file,
      sha256,
      granted: accepted.length,
    })),
  }))
  if (all.length === 0 && !json) {
    await noteEmpty(io, 'no trusted directories', 'offshoot trust DIR trusts one')
    return exitCodes.completed
  }
  const lines = all.flatMap((each) => [
    `${terminalLine(each.directory)}  ${terminalLine(each.trustedAt)}\n`,
    ...each.files.map(
      ({ file, granted, sha256 }) =>
        `  ${terminalLine(file)}  ${countText(granted)}  sha256 ${terminalLine(sha256)}\n`,
    ),
  ])
  await write(io, json ? jsonLine(all) : lines.join(''))
  return exitCodes.completed
}

async function revoke(directory: string, { json }: TrustFlags, io: Io): Promise<number> {
  const revoked = revokeTrust(directory, io.env)
  const text = revoked ? 'no longer trusted' : 'was not trusted'
  await write(io, json ? jsonLine({ directory, revoked }) : `${terminalLine(directory)}: ${text}\n`)
  return exitCodes.completed
}

/** A directory that is gone can be revoked too. */
function realOrTyped(directory: string): string {
  try {
    return realpathSync.native(directory)
  } catch {
    return directory
  }
}

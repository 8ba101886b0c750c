import type { Recording, Files } from './recording.ts'
import { readable } from './recording.ts'
import { World, type StoreKind } from './world.ts'

/** One recorded conversation. */
export interface Scenario {
  /** Of its directory. */
  readonly name: string
  /** Plays it and says which conversation to record; null: it is gone. */
  play(world: World): Promise<string | null>
}

/** Plays a conversation from its beginning, and returns all that it shows. What the command line shows is of SQLite alone. */
export async function play({ play: playIt }: Scenario, kind: StoreKind): Promise<Files> {
  const world = await World.create(kind)
  try {
    const id = await playIt(world)
    await world.close()
    if (id) {
      await using served = await world.serve()
      await served.lookAtAll('end', id)
      await served.record(id)
      if (kind === 'sqlite') await recordCommands(world, id)
      world.recording.shorten()
    }
    return world.recording.files
  } finally {
    await world.remove()
  }
}

async function recordCommands({ user, recording }: World, id: string): Promise<void> {
  const call = async (args: readonly string[]) => {
    const { code, stdout, stderr } = await user.call(args)
    if (code !== 0 || stderr) throw new Error(`offshoot ${args.join(' ')}: ${code} ${stderr}`)
    return stdout
  }
  for (const args of [
    ['ls'],
    ['ls', '--json'],
    ['ps', '--all', '--json'],
    ['show', id],
    ['show', '--json', id],
  ])
    recording.append('commands.txt', `$ offshoot ${args.join(' ')}\n${readable(await call(args))}\n\n`)
  recording.append('commands.txt', `$ offshoot log ${id}\n${await call(['log', id])}`)
  for (const format of ['json', 'md', 'html'])
    recordExport(recording, format, await call(['export', '--format', format, id]))
}

/** The command line writes what the server answers, with an end of line after JSON: then it is not stored twice. */
function recordExport(recording: Recording, format: string, text: string): void {
  const served = recording.files.get(`export.${format}`)
  const same = recording.stored(readable(text))
  if (same !== served) recording.text(`export-by-command.${format}`, text)
}

import type { AgentFileNote } from '../agents/load-agents.ts'

/**
 * Notes about agent files for their users: each of our own files, but only the number of skipped files of other
 * programs, which may be many and were not written for us.
 */
export function agentNotes(notes: readonly AgentFileNote[]): {
  readonly ours: string[]
  readonly theirs: string[]
} {
  const [ours, foreign] = [true, false].map((own) =>
    notes.filter(({ format }) => (format === 'offshoot') === own),
  )
  const skipped = foreign!.filter((note) => note.skipped !== null && note.heldBack.length === 0).length
  const files = skipped === 1 ? '1 agent file' : `${skipped} agent files`
  const summary = `${files} of other programs skipped; offshoot agents check says why`
  return { ours: ours!.map(noteText), theirs: skipped === 0 ? [] : [summary] }
}

/** One line about a skipped or faulty agent file. */
function noteText({ path, skipped, warnings, heldBack }: AgentFileNote): string {
  const why = skipped && heldBack.length === 0 ? [`skipped: ${skipped}`] : []
  return `${path}: ${[...why, ...warnings].join('; ')}`
}

import type { Command } from 'commander'
import { hereAlone, refuseUnused } from '../unused-options.ts'

interface Flags {
  readonly approvals?: 'wait' | 'deny'
  readonly conversation?: string | true
  readonly continue?: true
}

/**
 * Refuses options that do not reach the server with `--background`: it prints no answer, has people to ask, and knows of
 * a conversation already where it works, who answers there and what is allowed.
 * @throws OffshootError `usage`
 */
export function refuseUnusedInServer(command: Command, flags: Flags): void {
  const hint = 'leave it out, or leave out --background'
  refuseUnused(command, { why: 'with --background no answer is printed', hint, which: ['--raw-output'] })
  refuseUnused(command, { why: 'the server takes no settings of a model', hint, which: ['--set'] })
  const which = [...hereAlone, '--fork-session', '--input-format', '--verbose']
  refuseUnused(command, { why: 'the server that runs it does not receive this option', hint, which })
  if (flags.approvals === 'deny')
    refuseUnused(command, {
      why: 'the server asks the people who use it',
      hint,
      which: ['--approvals', '--permission-mode'],
    })
  if (flags.conversation === undefined && !flags.continue) return
  const known = command.name() === 'run' ? ['--mode', '--permission-mode', '--agent'] : ['--mode']
  refuseUnused(command, {
    why: 'with --background the server continues the conversation as it is',
    hint,
    which: flags.conversation === undefined ? known : [...known, '--directory'],
  })
}

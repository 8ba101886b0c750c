import { isNoLaxer, sandboxSettings, type SandboxSetting } from '../../config/sandbox-setting.ts'
import { OffshootError } from '../../core/errors.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { StoredRun } from '../../core/run.ts'
import type { Reader } from '../../store/port.ts'
import type { Confinement } from '../../tools/cell/confinement.ts'
import type { CommandCell, Standing } from '../../tools/command-cell.ts'
import { runUnconfined } from '../../tools/run-unconfined.ts'
import type { Deps } from '../context/deps.ts'
import type { Change } from '../log/recorder.ts'

type SettingPorts = Pick<Deps, 'config' | 'namedSandbox' | 'store'>
/** The ports that say what confines a conversation. */
export type ConfinedBy = Pick<Deps, 'config' | 'confinements' | 'namedSandbox' | 'store'>

/**
 * What a conversation keeps although this process has less: the setting that was last named for it. Undefined where this
 * process was told a setting itself, or has no less.
 */
export function keptSandbox(
  { config, namedSandbox, store }: SettingPorts,
  id: ConversationId,
): SandboxSetting | undefined {
  if (namedSandbox) return undefined
  const kept = namedSandboxBefore(store, id)
  return kept && !isNoLaxer(config.sandbox.mode, kept) ? kept : undefined
}

function namedSandboxBefore(reader: Reader, id: ConversationId): SandboxSetting | undefined {
  const stored = reader.get('conversations', id)?.sandbox
  return sandboxSettings.find((setting) => setting === stored)
}

/** What confines the commands of a conversation; undefined: nothing is to confine them. */
export function confinementOf(deps: ConfinedBy, id: ConversationId): Confinement | undefined {
  return deps.confinements?.at(keptSandbox(deps, id) ?? deps.config.sandbox.mode)
}

/** Where the commands of a run start. Looked up with each command: other calls need no store for it. */
export function cellOf(
  deps: ConfinedBy,
  { id, conversationId }: Pick<StoredRun, 'id' | 'conversationId'>,
  standing: Standing,
): CommandCell {
  return {
    run: async (options, widening) => {
      const confinement = confinementOf(deps, conversationId)
      return await (confinement
        ? confinement.of(id, standing).run(options, widening)
        : runUnconfined(options))
    },
  }
}

/** @throws OffshootError `config` where a conversation keeps a sandbox that is required, and there is none. */
export async function requireKeptSandbox(deps: ConfinedBy, id: ConversationId): Promise<void> {
  if (keptSandbox(deps, id) !== 'required') return
  try {
    await confinementOf(deps, id)?.cells()
  } catch (cause) {
    if (!(cause instanceof OffshootError) || cause.code !== 'config') throw cause
    throw new OffshootError('config', `${id} keeps --sandbox required: ${cause.message}`, {
      hint: `offshoot doctor checks again; continue with --sandbox auto runs without a sandbox and says so`,
      cause,
    })
  }
}

/** A setting named for this process becomes the conversation's. */
export function storeSandbox(
  { tx }: Change,
  { namedSandbox }: Pick<Deps, 'namedSandbox'>,
  id: ConversationId,
): void {
  if (namedSandbox && tx.get('conversations', id)?.sandbox !== namedSandbox)
    tx.update('conversations', id, { sandbox: namedSandbox })
}

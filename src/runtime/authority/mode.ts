import type { ConversationId } from '../../core/ids.ts'
import { modeLayer, MODES, type Mode } from '../../permissions/modes.ts'
import type { Layer } from '../../permissions/types.ts'
import type { Reader } from '../../store/port.ts'
import type { Deps } from '../context/deps.ts'
import type { Change } from '../log/recorder.ts'

/**
 * The mode in which a conversation resumes: this process's mode, else the stricter of the stored mode and the default.
 * A wider one must be set again: whoever resumes may not be the person who allowed it.
 */
export function modeInForce(reader: Reader, id: ConversationId | undefined, mode: Mode): Mode {
  const named = id && namedBefore(reader, id)
  return named && MODES.indexOf(named) < MODES.indexOf(mode) ? named : mode
}

/** The mode last set in a conversation. */
export function namedBefore(reader: Reader, id: ConversationId): Mode | undefined {
  const stored = reader.get('conversations', id)?.mode
  return MODES.find((mode) => mode === stored)
}

/** Layers of a stored mode, added to those of this process. */
export function narrowedBy(
  { namedMode }: Pick<Deps, 'namedMode'>,
  reader: Reader,
  id: ConversationId | undefined,
): readonly Layer[] {
  if (namedMode) return []
  const mode = modeInForce(reader, id, 'ask')
  return mode === 'ask' ? [] : [modeLayer(mode)]
}

/** A mode set for this process becomes the conversation's mode. */
export function storeMode({ tx }: Change, { namedMode }: Pick<Deps, 'namedMode'>, id: ConversationId): void {
  if (namedMode && tx.get('conversations', id)?.mode !== namedMode)
    tx.update('conversations', id, { mode: namedMode })
}

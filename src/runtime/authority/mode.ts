import type { ConversationId } from '../../core/ids.ts'
import { modeLayer, MODES, type Mode } from '../../permissions/modes.ts'
import type { Layer } from '../../permissions/types.ts'
import type { Reader } from '../../store/port.ts'
import type { Deps } from '../context/deps.ts'
import type { Change } from '../log/recorder.ts'

/**
 * The mode in which a conversation is gone on with: what this process was told, else the stricter of what somebody named
 * before and the default. A wider one has to be named again: whoever goes on need not be who allowed that much.
 */
export function modeInForce(reader: Reader, id: ConversationId | undefined, mode: Mode): Mode {
  const named = id && namedBefore(reader, id)
  return named && MODES.indexOf(named) < MODES.indexOf(mode) ? named : mode
}

/** What somebody named last in a conversation. */
export function namedBefore(reader: Reader, id: ConversationId): Mode | undefined {
  const stored = reader.get('conversations', id)?.mode
  return MODES.find((mode) => mode === stored)
}

/** What a mode that was named before adds to the layers of this process, which have its own. */
export function narrowedBy(
  { namedMode }: Pick<Deps, 'namedMode'>,
  reader: Reader,
  id: ConversationId | undefined,
): readonly Layer[] {
  if (namedMode) return []
  const mode = modeInForce(reader, id, 'ask')
  return mode === 'ask' ? [] : [modeLayer(mode)]
}

/** A mode that this process was told is that of the conversation from now on. */
export function storeMode({ tx }: Change, { namedMode }: Pick<Deps, 'namedMode'>, id: ConversationId): void {
  if (namedMode && tx.get('conversations', id)?.mode !== namedMode)
    tx.update('conversations', id, { mode: namedMode })
}

import type { MessagePage } from 'offshoot/protocol'
import type { ReactNode } from 'react'
import { useConversationId } from '../state/conversation.tsx'
import { branchPath, navigate } from '../state/route.ts'
import { useVerbs } from '../state/verbs.ts'
import { VersionPicker } from '../branches/version-picker.tsx'
import { IconButton } from '../ui/button.tsx'
import { showError } from '../ui/toasts.tsx'

interface MessageActionsProps {
  readonly message: MessagePage['messages'][number]
  /** It belongs to a branch above: it can be forked, not regenerated. */
  readonly inherited: boolean
  readonly children: ReactNode
}

/** Actions of a message; visible on hover or focus, and always on touch screens. */
export function MessageActions({ message, inherited, children }: MessageActionsProps) {
  const verbs = useVerbs()
  const conversationId = useConversationId()
  const open = (promise: Promise<{ branchId: string }>) =>
    promise.then(({ branchId }) => navigate(branchPath(conversationId, branchId))).catch(showError)
  return (
    <div data-print="no" className="touch:h-11 absolute top-full z-10 -mx-1.5 flex h-7 items-center gap-0.5">
      {message.role !== 'user' && <VersionPicker message={message} />}
      <div className="touch:opacity-100 flex items-center opacity-0 transition-opacity group-focus-within/message:opacity-100 group-hover/message:opacity-100">
        {children}
        {message.role === 'assistant' && !inherited && (
          <IconButton
            icon="refresh"
            label="Regenerate in a new version"
            onPress={() => void open(verbs.regenerate(message.id))}
          />
        )}
        <IconButton icon="fork" label="Fork from here" onPress={() => void open(verbs.fork(message.id))} />
      </div>
      {message.role === 'user' && <VersionPicker message={message} />}
    </div>
  )
}

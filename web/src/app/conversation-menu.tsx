import type { BranchView } from 'offshoot/client'
import { useState } from 'react'
import { pathOf } from '../state/branch-lookup.ts'
import { IconButton } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Menu } from '../ui/menu.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { showError } from '../ui/toasts.tsx'
import { useClient } from '../state/client.ts'
import { useView } from '../state/conversation.tsx'
import { reloadConversations } from '../state/conversations.ts'
import { keysOf, shownKeys } from '../state/keymap.ts'
import { showPanel } from '../state/panels.ts'
import { navigate } from '../state/route.ts'
import { saveFile } from '../ui/save-file.ts'
import { useVerbs } from '../state/verbs.ts'

/** Actions for the whole conversation. */
export function ConversationMenu({ branch }: { branch: BranchView }) {
  const client = useClient()
  const verbs = useVerbs()
  const { id, title } = useView((state) => state.conversation)
  const [asks, setAsks] = useState<'nothing' | 'rename' | 'delete'>('nothing')
  const exportAs = (format: 'html' | 'json') =>
    void client.exportConversation(id, format).then((text) => saveFile(`${id}.${format}`, text), showError)
  const remove = () => {
    verbs.remove(id).then(() => {
      reloadConversations()
      navigate('/')
    }, showError)
  }
  return (
    <>
      <Menu
        label="Conversation"
        choices={[
          {
            id: 'timeline',
            label: 'Timeline',
            icon: 'timeline',
            keys: shownKeys(keysOf('timeline')),
            onAction: () => showPanel('timeline'),
          },
          { id: 'steps', label: 'Steps', icon: 'list', onAction: () => showPanel('steps') },
          { id: 'link', label: 'Copy link', icon: 'link', onAction: () => verbs.copyLink(pathOf(branch)) },
          { id: 'rename', label: 'Rename…', icon: 'edit', onAction: () => setAsks('rename') },
          {
            id: 'html',
            label: 'Export as HTML',
            icon: 'download',
            onAction: () => exportAs('html'),
          },
          {
            id: 'json',
            label: 'Export as JSON',
            icon: 'download',
            onAction: () => exportAs('json'),
          },
          { id: 'delete', label: 'Delete…', icon: 'trash', danger: true, onAction: () => setAsks('delete') },
        ]}
      >
        <IconButton icon="dots" label="More" />
      </Menu>
      {asks === 'rename' && (
        <RenameDialog
          title={title}
          onClose={() => setAsks('nothing')}
          onRename={(next) => {
            verbs.rename(id, next)
            setAsks('nothing')
          }}
        />
      )}
      <ConfirmDialog
        isOpen={asks === 'delete'}
        title="Delete this conversation?"
        action="Delete"
        onClose={() => setAsks('nothing')}
        onConfirm={remove}
      >
        Deleting cancels its runs and removes all its branches and messages. Export it first to keep a copy.
      </ConfirmDialog>
    </>
  )
}

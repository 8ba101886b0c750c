import type { BranchView } from 'offshoot/client'
import { useCallback, useMemo, useState } from 'react'
import { Autocomplete } from 'react-aria-components/Autocomplete'
import { Dialog } from 'react-aria-components/Dialog'
import { Header, Menu, MenuItem, MenuSection } from 'react-aria-components/Menu'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { Input, SearchField } from 'react-aria-components/SearchField'
import { useClient } from '../state/client.ts'
import type { Actions } from '../state/keymap.ts'
import { useAnswer } from '../state/use-answer.ts'
import { Icon } from '../ui/icon.tsx'
import { commandGroups, found, type Command } from './palette-commands.ts'

interface PaletteProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly actions: Actions
  /** The open conversation. */
  readonly branches?: readonly BranchView[]
  /** Returns what was typed before the field had the focus, once. */
  readonly takeTyped: () => string
}

const NO_BRANCHES: readonly BranchView[] = []

/** Finds every place and action by name: type, choose with the arrow keys, press Enter. */
export function Palette({ isOpen, onClose, branches = NO_BRANCHES, ...rest }: PaletteProps) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable
      className="fixed inset-0 z-40 flex items-start justify-center bg-[light-dark(#1b1b1933,#00000080)] px-3 pt-[10vh]"
    >
      <Modal className="flex max-h-[70dvh] w-full max-w-xl flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-float">
        <Dialog aria-label="Palette" className="flex min-h-0 flex-1 flex-col outline-none">
          <Commands {...rest} branches={branches} onClose={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

function Commands({ actions, branches, onClose, takeTyped }: Required<Omit<PaletteProps, 'isOpen'>>) {
  const client = useClient()
  const [text, setText] = useState('')
  const conversations = useAnswer(useCallback(() => client.listConversations(), [client])).value
  const agents = useAnswer(useCallback(() => client.listAgents(), [client])).value
  const groups = useMemo(
    () => commandGroups({ actions, branches, conversations: conversations ?? [], agents: agents ?? [] }),
    [actions, branches, conversations, agents],
  )
  const shown = useMemo(() => found(groups, text), [groups, text])
  const run = (command: Command) => {
    onClose()
    // After the dialog has closed and restored the focus, so that the command may move it.
    setTimeout(command.run)
  }
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <Search
        onReady={() => {
          const typed = takeTyped()
          setText((before) => before + typed)
        }}
      />
      <div
        role="region"
        aria-label="Results"
        tabIndex={0}
        className="scrolls min-h-0 flex-1 overflow-y-auto -outline-offset-2"
      >
        <Menu
          aria-label="Matches"
          className="p-1.5 outline-none"
          renderEmptyState={() => <p className="px-3 py-6 text-center text-sm text-ink-3">No results</p>}
        >
          {shown.map(({ name, commands }) => (
            <MenuSection key={name} id={name} aria-label={name}>
              <Header className="px-2.5 pt-2 pb-1 text-2xs font-medium text-ink-3">{name}</Header>
              {commands.map((command) => (
                <MenuItem
                  key={command.id}
                  id={command.id}
                  textValue={command.label}
                  onAction={() => run(command)}
                  className="touch:min-h-11 flex min-h-8 cursor-default items-center gap-2.5 rounded-md px-2.5 text-sm outline-none data-focused:bg-hover data-hovered:bg-hover"
                >
                  <Icon name={command.icon} size={14} className="text-ink-3" />
                  <span className="max-w-[65%] shrink-0 truncate">{command.label}</span>
                  <span className="min-w-0 flex-1 truncate text-xs text-ink-3">{command.detail}</span>
                  {command.keys && <kbd className="font-sans text-xs text-ink-3">{command.keys}</kbd>}
                </MenuItem>
              ))}
            </MenuSection>
          ))}
        </Menu>
      </div>
    </Autocomplete>
  )
}

function Search({ onReady }: { onReady: () => void }) {
  return (
    <SearchField
      aria-label="Find a conversation, branch, agent or action"
      autoFocus
      className="flex shrink-0 items-center gap-2 border-b border-line px-3.5 text-ink-3"
    >
      <Icon name="search" />
      <Input
        onFocus={onReady}
        placeholder="Conversations, branches, agents, actions…"
        className="h-12 min-w-0 flex-1 bg-transparent text-base text-ink outline-none placeholder:text-ink-3 [&::-webkit-search-cancel-button]:hidden"
      />
      <kbd className="rounded border border-line px-1.5 text-2xs text-ink-3">Esc</kbd>
    </SearchField>
  )
}

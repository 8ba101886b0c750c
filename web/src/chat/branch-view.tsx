import { inboxOf, parseChatCommand, type BranchView } from 'offshoot/client'
import { useEffect, useState } from 'react'
import { NeedsBar } from '../agents/needs-bar.tsx'
import { useClient } from '../state/client.ts'
import { useConversationView, useView } from '../state/conversation.tsx'
import { usePref } from '../state/prefs.ts'
import { useVerbs } from '../state/verbs.ts'
import { BranchHeader } from '../branches/branch-header.tsx'
import { runOf } from '../state/branch-lookup.ts'
import { useSeen } from '../branches/unread-branches.ts'
import { useSwipe } from '../branches/use-swipe.ts'
import { hueOf } from '../ui/format.ts'
import { isLive } from '../ui/run-status-look.ts'
import { runChatCommand } from './run-chat-command.ts'
import { Composer } from './composer.tsx'
import { InboxChips } from './inbox-chips.tsx'
import { StatusBar } from './status-bar.tsx'
import { Transcript } from './transcript.tsx'
import { useWokenParent, WakeChoice } from './wake-choice.tsx'

/** The main column: one branch with its message field. */
export function BranchPage({ branch, messageId }: { branch: BranchView; messageId: string | null }) {
  const verbs = useVerbs()
  const client = useClient()
  const view = useConversationView()
  const run = useView((state) => runOf(state, branch.id))
  const inbox = useView((state) => inboxOf(state, branch.id))
  useRemembered(branch)
  useSeen(branch, run)
  const swipe = useSwipe(branch)
  const send = async (text: string, mode: 'steer' | 'follow_up') => {
    const command = parseChatCommand(text)
    if (command && view.state) await runChatCommand(command, client, view.state, branch)
    else await verbs.send(branch.id, text, mode, wake || !parent)
  }
  const takeBack = async () => {
    const last = inbox.findLast(({ kind, author }) => kind === 'user' && (author ?? 'person') === 'person')
    if (last) await client.withdrawInboxItem({ id: last.id })
    return last?.text
  }
  const parent = useWokenParent(branch)
  const [wake, setWake] = useState(true)
  const isMain = branch.kind === 'main'
  const live = run !== null && isLive(run)
  const placeholder =
    branch.kind === 'subagent' ? `Message @${branch.agent}` : isMain ? 'Message…' : 'Message this fork'
  return (
    <div
      {...swipe}
      className={`flex min-h-0 flex-1 flex-col ${isMain ? '' : `border-l-[3px] border-hue ${hueOf(branch.agent)}`}`}
    >
      {!isMain && <BranchHeader branch={branch} />}
      <Transcript key={branch.id} branchId={branch.id} messageId={messageId} />
      <div data-print="no" className="mx-auto w-full max-w-[49rem] px-4 pb-4">
        <StatusBar branch={branch} />
        <NeedsBar branch={branch} />
        <InboxChips items={inbox} />
        {parent && <WakeChoice parent={parent} wake={wake} onChange={setWake} />}
        <Composer
          key={branch.id}
          draftKey={branch.id}
          placeholder={placeholder}
          live={live}
          onSend={send}
          onInterrupt={() => verbs.interrupt(branch.id)}
          hasCommands
          onTakeBack={takeBack}
        />
      </div>
    </div>
  )
}

/** This device reopens the last visited branch. */
function useRemembered(branch: BranchView): void {
  const [branches, setBranches] = usePref('branches')
  useEffect(() => {
    if (branches[branch.conversationId] !== branch.id)
      setBranches({ ...branches, [branch.conversationId]: branch.id })
  }, [branch, branches, setBranches])
}

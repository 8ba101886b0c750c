import { useCallback, useState } from 'react'
import { Composer } from '../chat/composer.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { showError } from '../ui/toasts.tsx'
import { TrustBanner } from '../trust/trust-banner.tsx'
import { useClient } from '../state/client.ts'
import { reloadConversations, useConversations } from '../state/conversations.ts'
import { branchPath, navigate } from '../state/route.ts'
import { useAnswer } from '../state/use-answer.ts'

/** The demo's prompt: three questions, so that three subagents work in parallel. */
const DEMO = 'Where are errors handled, where is configuration read, and which tests cover them?'

/** Starts a conversation; on the very first visit, with a demo that needs no key and no network. */
export function HomePage() {
  const client = useClient()
  const [busy, setBusy] = useState(false)
  const { value: config } = useAnswer(useCallback(() => client.getConfig(), [client]))
  const { value: models } = useAnswer(useCallback(() => client.listModels(), [client]))
  const { value: conversations } = useConversations()
  const start = async (text: string, model?: string) => {
    setBusy(true)
    try {
      const { conversationId } = await client.createConversation({ text, ...(model ? { model } : {}) })
      reloadConversations()
      navigate(branchPath(conversationId))
    } finally {
      setBusy(false)
    }
  }
  const model = models?.find((each) => each.isDefault)
  const first = conversations?.length === 0
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <TrustBanner />
      <div className="scrolls flex min-h-0 flex-1 flex-col items-center justify-center overflow-y-auto px-4 py-10">
        <div className="w-full max-w-2xl">
          <h1 className="flex items-center gap-2.5 text-xl font-semibold">
            <Icon name="sprout" size={26} className="text-accent" />
            What are we working on?
          </h1>
          <p className="mt-1 mb-4 text-sm text-ink-2">
            {config ? (
              <>
                in <code className="text-xs">{config.directory}</code>
                {model && ` with ${model.label || model.id}`}
              </>
            ) : (
              ' '
            )}
          </p>
          <Composer
            placeholder="Ask about this project, or say what to change"
            live={false}
            draftKey="home"
            focused
            onSend={(text) => start(text)}
            onInterrupt={() => {}}
          />
          {first && (
            <section className="mt-6 rounded-xl border border-line bg-panel p-4">
              <h2 className="text-sm font-semibold">Try it without a key</h2>
              <p className="mt-1 text-sm text-ink-2">
                The offline demo searches this folder with three subagents in parallel. It is a rule-based
                search, not a language model: it reads files, quotes what it finds, and changes nothing.
              </p>
              <Button
                look="primary"
                icon="play"
                className="mt-3"
                isDisabled={busy}
                onPress={() => void start(DEMO, 'offline').catch(showError)}
              >
                Run the demo
              </Button>
            </section>
          )}
        </div>
      </div>
    </div>
  )
}

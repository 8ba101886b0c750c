import { Suspense, useEffect } from 'react'
import { useSession } from '../session/session.ts'
import { SignIn } from './sign-in.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { ConversationPage } from './conversation-page.tsx'
import { focusOpener } from '../ui/focus-opener.ts'
import { Frame } from './page-layout.tsx'
import { HomePage } from './home-page.tsx'
import { Keys } from './page-shortcuts.tsx'
import { loadPartsLater, SettingsPage } from './lazy-pages.ts'
import { openerOfPage, useRoute } from '../state/route.ts'
import { useTheme } from '../state/theme.ts'

const NO_ACTIONS = {}

export function App() {
  const session = useSession()
  useTheme()
  useEffect(loadPartsLater, [])
  return (
    <>
      {session.status === 'in' && <Pages />}
      {session.status === 'out' && <SignIn why={session.why} />}
      <Toasts />
    </>
  )
}

function Pages() {
  const route = useRoute()
  useFocusOfOpener()
  return (
    <>
      {route.page === 'home' && (
        <Frame>
          <HomePage />
        </Frame>
      )}
      {route.page === 'settings' && (
        <Frame>
          <Suspense fallback={null}>
            <SettingsPage tab={route.tab} />
          </Suspense>
        </Frame>
      )}
      {route.page === 'conversation' && <ConversationPage key={route.conversationId} route={route} />}
      {route.page !== 'conversation' && <Keys actions={NO_ACTIONS} />}
    </>
  )
}

/** On return to a page, the focus goes back to the control that opened the previous one. */
function useFocusOfOpener(): void {
  useEffect(() => {
    const onBack = () => {
      const name = openerOfPage()
      if (name) focusOpener(name)
    }
    addEventListener('popstate', onBack)
    return () => removeEventListener('popstate', onBack)
  }, [])
}

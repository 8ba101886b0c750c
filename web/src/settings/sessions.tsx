import { agoWords, type Client } from 'offshoot/client'
import type { SessionRow } from 'offshoot/protocol'
import { useCallback, useState } from 'react'
import { useClient } from '../state/client.ts'
import { useAnswer } from '../state/use-answer.ts'
import { signOut } from '../session/session.ts'
import { Chip } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { useNow } from '../ui/use-now.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { showError } from '../ui/toasts.tsx'
import { browserWords } from './browser-name.ts'
import { Answered, Cell, Section, Table } from './settings-section.tsx'

const EVERY_MS = 5000
const NOTE =
  'A session lasts 24 hours and works with one server. Revoking it signs out its open pages immediately.'

/** The signed-in browsers. */
export function Sessions() {
  const client = useClient()
  const asked = useAnswer(
    useCallback(() => client.listSessions(), [client]),
    EVERY_MS,
  )
  const [asks, setAsks] = useState(false)
  const revoke = (session: SessionRow) => void revoked(client, session).then(asked.again, showError)
  const revokeAll = () => void client.endSessions().then(signOut, showError)
  return (
    <Answered asked={asked}>
      {(sessions) => (
        <Section title="Signed in" note={NOTE}>
          <Table label="Sessions" heads={['Browser', 'Server', 'Signed in', 'Last used', 'Ends', '']}>
            {sessions.map((session) => (
              <SessionLine key={session.id} session={session} onRevoke={() => revoke(session)} />
            ))}
          </Table>
          <div className="mt-3 flex gap-2">
            <Button onPress={signOut}>Sign out</Button>
            <Button look="danger" onPress={() => setAsks(true)}>
              Revoke all
            </Button>
          </div>
          <ConfirmDialog
            isOpen={asks}
            title="Revoke all sessions?"
            action="Revoke all"
            onClose={() => setAsks(false)}
            onConfirm={revokeAll}
          >
            Every browser is signed out, including this one. Runs continue.
          </ConfirmDialog>
        </Section>
      )}
    </Answered>
  )
}

function SessionLine({ session, onRevoke }: { session: SessionRow; onRevoke: () => void }) {
  const now = useNow()
  const { id, browser, port, createdAt, usedAt, expiresAt, isCurrent } = session
  const name = browserWords(browser)
  return (
    <tr data-session={id}>
      <Cell>
        <span className="font-medium" title={browser}>
          {name}
        </span>{' '}
        {isCurrent && <Chip>this one</Chip>}
      </Cell>
      <Cell className="whitespace-nowrap tabular-nums">{`port ${port}`}</Cell>
      <Cell className="whitespace-nowrap">{agoWords(createdAt, now)}</Cell>
      <Cell className="whitespace-nowrap">{agoWords(usedAt, now)}</Cell>
      <Cell className="whitespace-nowrap tabular-nums">{new Date(expiresAt).toLocaleString()}</Cell>
      <Cell>
        <Button small look="danger" aria-label={`Revoke ${name}, ${id}`} onPress={onRevoke}>
          Revoke
        </Button>
      </Cell>
    </tr>
  )
}

async function revoked(client: Client, { id, isCurrent }: SessionRow): Promise<void> {
  if (isCurrent) signOut()
  else await client.endSession({ id })
}

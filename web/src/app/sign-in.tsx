import { CopyButton } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'

const COMMAND = 'offshoot sessions link'

/** Shown to a browser that is not signed in. */
export function SignIn({ why }: { why: string | undefined }) {
  return (
    <main className="flex min-h-dvh items-center justify-center px-4 py-10">
      <div className="w-full max-w-md">
        <h1 className="flex items-center gap-2.5 text-xl font-semibold">
          <Icon name="sprout" size={26} className="text-accent" />
          Sign in
        </h1>
        {why !== undefined && (
          <p
            role="alert"
            className="mt-3 rounded-md border border-needs-line bg-needs-soft px-3 py-2 text-sm wrap-anywhere"
          >
            {why}
          </p>
        )}
        <p className="mt-3 text-sm text-ink-2">
          Sign in with a link. Run this command on the server to print one:
        </p>
        <div className="mt-2 flex items-center justify-between gap-2 rounded-md border border-line bg-panel py-1 pr-1 pl-3">
          <code className="text-sm">{COMMAND}</code>
          <CopyButton text={COMMAND} label="Copy the command" />
        </div>
        <p className="mt-2 text-sm text-ink-2">
          Open the link in this browser within ten minutes. It works once; the session lasts 24 hours.
        </p>
      </div>
    </main>
  )
}

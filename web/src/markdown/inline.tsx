import type { MarkedToken, Token } from 'marked'
import type { ReactNode } from 'react'
import { decodeEntities } from './entities.ts'
import { safeLink } from './safe-link.ts'

/** Text within a block. Markup in it is shown as text. */
export function Inline({ tokens }: { tokens: readonly Token[] | undefined }) {
  return tokens?.map((token, index) => <InlineToken key={index} token={token as MarkedToken} />)
}

function InlineToken({ token }: { token: MarkedToken }): ReactNode {
  switch (token.type) {
    case 'strong':
      return (
        <strong>
          <Inline tokens={token.tokens} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      )
    case 'del':
      return (
        <del>
          <Inline tokens={token.tokens} />
        </del>
      )
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return (
        <SafeLink href={token.href}>
          <Inline tokens={token.tokens} />
        </SafeLink>
      )
    case 'image':
      // Loading it would reveal that this text is being read.
      return <SafeLink href={token.href}>{`Image: ${token.text || token.href}`}</SafeLink>
    case 'text':
      return token.tokens ? <Inline tokens={token.tokens} /> : decodeEntities(token.text)
    case 'escape':
      return token.text
    case 'checkbox':
      return <span aria-label={token.checked ? 'done' : 'to do'}>{token.checked ? '☑ ' : '☐ '}</span>
    default:
      return token.raw
  }
}

function SafeLink({ href, children }: { href: string; children: ReactNode }) {
  const safe = safeLink(href)
  if (!safe) return <span title={href}>{children}</span>
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

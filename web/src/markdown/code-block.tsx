import { memo, useEffect, useState } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import { askForColours } from './highlight-queue.ts'
import { coloursOf } from './code-languages.ts'
import type { CodeToken } from './highlight.ts'

export const CodeBlock = memo(({ code, language }: { code: string; language: string }) => (
  <div className="group relative overflow-hidden rounded-lg border border-line bg-panel">
    {language && (
      <div className="flex h-7 items-center pr-1 pl-3.5 font-mono text-2xs text-ink-3">
        <span className="truncate">{language}</span>
      </div>
    )}
    <CopyButton text={code} label="Copy code" className="absolute top-0.5 right-1" />
    <pre
      dir="ltr"
      tabIndex={0}
      aria-label={language ? `Code, ${language}` : 'Code'}
      className={`scrolls overflow-x-auto px-3.5 pb-3 text-[0.8125rem] leading-5 ${language ? '' : 'pt-3'}`}
    >
      <code>
        <Highlighted code={code} language={language} />
      </code>
    </pre>
  </div>
))

/** Highlighted code, once available. Newer text stays plain until it is highlighted. */
function Highlighted({ code, language }: { code: string; language: string }) {
  const [known, setKnown] = useState<{ code: string; language: string; tokens: readonly CodeToken[][] }>()
  useEffect(() => {
    if (!coloursOf(code, language)) return undefined
    return askForColours(code, language, (tokens) => setKnown({ code, language, tokens }))
  }, [code, language])
  if (known?.language !== language || !code.startsWith(known.code)) return code
  return (
    <>
      {known.tokens.map((line, at) => (
        <span key={at}>
          {line.map((token, index) => (
            <span key={index} style={token.color ? { color: token.color } : undefined}>
              {token.content}
            </span>
          ))}
          {at < known.tokens.length - 1 ? '\n' : ''}
        </span>
      ))}
      {code.slice(known.code.length)}
    </>
  )
}

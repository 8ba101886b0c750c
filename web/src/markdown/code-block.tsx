import { memo, useEffect, useState } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import { highlight, type CodeToken } from './highlight.ts'

export const CodeBlock = memo(({ code, language }: { code: string; language: string }) => (
  <div className="group relative overflow-hidden rounded-lg border border-line bg-panel">
    {language && (
      <div className="flex h-7 items-center pr-1 pl-3.5 font-mono text-2xs text-ink-3">
        <span className="truncate">{language}</span>
      </div>
    )}
    <CopyButton text={code} label="Copy code" className="absolute top-0.5 right-1" />
    <pre
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

/** Code in colours, as soon as they are there. */
function Highlighted({ code, language }: { code: string; language: string }) {
  const [lines, setLines] = useState<{ code: string; tokens: readonly CodeToken[][] }>()
  useEffect(() => {
    let stale = false
    highlight(code, language).then((tokens) => !stale && tokens && setLines({ code, tokens }), stayPlain)
    return () => {
      stale = true
    }
  }, [code, language])
  if (lines?.code !== code) return code
  return lines.tokens.map((line, at) => (
    <span key={at}>
      {line.map((token, index) => (
        <span key={index} style={token.color ? { color: token.color } : undefined}>
          {token.content}
        </span>
      ))}
      {at < lines.tokens.length - 1 ? '\n' : ''}
    </span>
  ))
}

/** Code without colours is readable too. */
function stayPlain(): void {}

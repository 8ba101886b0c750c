import { useEffect, useState } from 'react'
import { IconButton } from './button.tsx'

const SHOWN_MS = 1500

export function CopyButton({
  text,
  label,
  className = '',
}: {
  text: string
  label: string
  className?: string
}) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () => {
    navigator.clipboard.writeText(text).then(() => setCopied(true), ignoreForbidden)
  }
  return (
    <IconButton
      icon={copied ? 'check' : 'copy'}
      label={copied ? 'Copied' : label}
      onPress={copy}
      className={className}
    />
  )
}

/** The browser denied clipboard access; the text can still be selected. */
function ignoreForbidden(): void {}

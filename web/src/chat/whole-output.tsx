import { useState } from 'react'
import { useClient } from '../state/client.ts'
import { saveFile } from '../ui/save-file.ts'
import { Button } from '../ui/button.tsx'
import { TextLines } from '../ui/text-lines.tsx'
import { showError } from '../ui/toasts.tsx'

/** An output that was too large for its message, as text. */
export function WholeOutput({ artifactId }: { artifactId: string }) {
  const client = useClient()
  const [content, setContent] = useState<Uint8Array<ArrayBuffer>>()
  const load = () => void client.artifact(artifactId).then(setContent, showError)
  if (!content)
    return (
      <Button small look="quiet" className="self-start" onPress={load}>
        Show full output
      </Button>
    )
  return (
    <>
      <TextLines text={new TextDecoder().decode(content)} label="Full output" />
      <Button
        small
        look="quiet"
        icon="download"
        className="self-start"
        onPress={() => saveFile(`${artifactId}.txt`, content)}
      >
        Save full output
      </Button>
    </>
  )
}

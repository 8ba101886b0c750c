import { highlight } from './highlight.ts'
import type { HighlightAnswer, HighlightQuestion } from './highlight-queue.ts'

/** Colours code outside of the page, which answers meanwhile. Without an answer in `tokens` the code stays plain. */
addEventListener('message', ({ data }: MessageEvent<HighlightQuestion>) => {
  const answer = (tokens: HighlightAnswer['tokens']) => postMessage({ id: data.id, tokens })
  highlight(data.code, data.language).then(answer, () => answer(undefined))
})

import { highlight } from './highlight.ts'
import type { HighlightAnswer, HighlightQuestion } from './highlight-queue.ts'

/**
 * Highlights code outside the page, so that the page stays responsive. An answer without `tokens` leaves the code
 * plain.
 */
addEventListener('message', ({ data }: MessageEvent<HighlightQuestion>) => {
  const answer = (tokens: HighlightAnswer['tokens']) => postMessage({ id: data.id, tokens })
  highlight(data.code, data.language).then(answer, () => answer(undefined))
})

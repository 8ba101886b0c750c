import type { Clock } from '../../core/clock.ts'
import type { MarkdownTask } from './to-markdown.ts'

const MAX_CHARS = 4 * 1024 * 1024
const TIME_MS = 10_000
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 }

/**
 * Converts an HTML page to Markdown; null if that exceeds the limits of size, time or memory. Runs in a thread that is
 * stopped at a limit, because a page can make parsing endless; the rest of the process is not blocked. The thread has
 * no environment. Rejects with the signal's reason.
 */
export function markdownOf(task: MarkdownTask, clock: Clock, signal: AbortSignal): Promise<string | null> {
  signal.throwIfAborted()
  if (task.html.length > MAX_CHARS) return Promise.resolve(null)
  const { Worker } = process.getBuiltinModule('node:worker_threads') // loaded late: few programs need it
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./markdown-worker.ts', import.meta.url), {
      workerData: task,
      resourceLimits: LIMITS,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
    })
    const end = (settle: () => void) => {
      cancel()
      signal.removeEventListener('abort', onAbort)
      void worker.terminate()
      settle()
    }
    const onAbort = () => end(() => reject(signal.reason as Error))
    const cancel = clock.after(TIME_MS, () => end(() => resolve(null)))
    signal.addEventListener('abort', onAbort, { once: true })
    worker.once('message', (text: string) => end(() => resolve(text)))
    worker.on('error', () => end(() => resolve(null)))
    worker.once('exit', () => end(() => resolve(null)))
  })
}

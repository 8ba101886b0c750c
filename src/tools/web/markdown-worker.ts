import { parentPort, workerData } from 'node:worker_threads'
import { toMarkdown, type MarkdownTask } from './to-markdown.ts'

const { html, base } = workerData as MarkdownTask
parentPort?.postMessage(toMarkdown(html, base))

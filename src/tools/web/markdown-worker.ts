import { parentPort, workerData } from 'node:worker_threads'
import type { MarkdownTask } from './markdown.ts'
import { toMarkdown } from './to-markdown.ts'

const { html, base } = workerData as MarkdownTask
parentPort?.postMessage(toMarkdown(html, base))

import { conversationOf, id } from './long-conversation.ts'

/** Four messages for each run: a question, two calls, their results, and an answer with a table and code. */
const MESSAGES_OF_RUN = 4
const CALLS_OF_RUN = 2

/** As `export` writes it: a conversation of so many messages that a person and an agent with tools have had. */
export function workedConversation(count: number): object {
  const runs = Array.from({ length: Math.ceil(count / MESSAGES_OF_RUN) }, (_, run) => run)
  const messages = runs.flatMap(messagesOf).slice(0, count)
  return conversationOf(messages, runs.map(runOf))
}

function messagesOf(run: number): object[] {
  const said = (at: number, role: string, parts: readonly object[]) => {
    const position = run * MESSAGES_OF_RUN + at
    const content = parts.map((part) => ('text' in part ? part.text : '')).join('')
    return { role, content, parts, runId: id('run', run), position }
  }
  const calls = callIdsOf(run)
  return [
    said(0, 'user', [text(run, 0, `Question ${run}: what does module ${run} do?`)]),
    said(1, 'assistant', [
      text(run, 1, `I look at module ${run}.`),
      ...calls.map((callId, at) => ({
        id: partId(run, 2 + at),
        type: 'tool-call',
        callId,
        tool: 'read',
        input: { file_path: `src/module-${run}-${at}.ts` },
      })),
    ]),
    said(
      2,
      'tool',
      calls.map((callId, at) => ({
        id: partId(run, 4 + at),
        type: 'tool-result',
        callId,
        tool: 'read',
        status: 'completed',
        output: { text: `export const value = ${run}\n`.repeat(40) },
      })),
    ),
    said(3, 'assistant', [text(run, 6, answer(run))]),
  ]
}

function answer(run: number): string {
  return `## Answer ${run}\n\nModule ${run} exports **one value**, see \`src/module-${run}-0.ts:1\`:\n\n\`\`\`ts\nexport const value = ${run}\n\`\`\`\n\n- it is a number\n- it never changes\n\n| module | value |\n|---|--:|\n| ${run} | ${run} |\n`
}

function runOf(run: number): object {
  const at = Date.now()
  const usage = { input: 8000, output: 400, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
  return {
    id: id('run', run),
    parentRunId: null,
    originCallId: null,
    depth: 0,
    agent: 'main',
    model: 'anthropic/claude-sonnet-5',
    description: 'main',
    background: false,
    status: 'completed',
    reason: null,
    waitingFor: null,
    endReason: 'done',
    attempt: 1,
    stopNo: 1,
    limits: { maxTurns: 50, timeoutMs: null, stallMs: 300_000, maxCostUsd: null, maxTokens: null },
    turns: 2,
    toolCalls: CALLS_OF_RUN,
    usage,
    costUsd: 0.02,
    lastAction: null,
    reportMessageId: id('msg', run * MESSAGES_OF_RUN + 3),
    reportNote: null,
    error: null,
    queuedAt: at,
    startedAt: at,
    endedAt: at,
    calls: callIdsOf(run).map((callId, index) => ({
      id: callId,
      messageId: id('msg', run * MESSAGES_OF_RUN + 1),
      partId: partId(run, 2 + index),
      resultPartId: partId(run, 4 + index),
      tool: 'read',
      title: `Read src/module-${run}-${index}.ts`,
      status: 'completed',
      repeatable: true,
      exitCode: null,
      error: null,
      startedAt: at,
      endedAt: at,
      facts: [],
    })),
  }
}

function callIdsOf(run: number): string[] {
  return Array.from({ length: CALLS_OF_RUN }, (_, at) => id('cal', run * CALLS_OF_RUN + at))
}

function text(run: number, at: number, said: string): { readonly text: string } {
  return { id: partId(run, at), type: 'text', text: said } as { readonly text: string }
}

function partId(run: number, at: number): string {
  return id('prt', run * 10 + at)
}

import type { Branch, BranchKind } from '../core/conversation.ts'
import type { ConversationId } from '../core/ids.ts'
import { branchesOf, type ExportDocument, type ExportedRun, type PlacedBranch } from './document.ts'
import type { ConversationRows } from './conversation-rows.ts'

/** Every row of a document except its restrictions, which have no ids there. */
export type DocumentRows = Omit<ConversationRows, 'rules'>
type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer Row)[] ? Row[] : T[K] }

/** The rows from which `exportConversation` created this document. Its main branch must be named. */
export function documentRows(document: ExportDocument): DocumentRows {
  const { id, title, directory, created, updated } = document
  const conversation = { id, directory, title, createdAt: created, updatedAt: updated, budget: null }
  const rows: Mutable<Omit<DocumentRows, 'conversations'>> = {
    branches: [],
    messages: [],
    parts: [],
    runs: [],
    tool_calls: [],
    approvals: [],
    questions: [],
    inbox: [],
    todos: [],
    artifacts: [],
  }
  for (const placed of branchesOf(document)) addBranch(rows, id, placed)
  for (const { data, created, ...artifact } of document.artifacts ?? []) {
    const content = new Uint8Array(Buffer.from(data, 'base64'))
    const { id: artifactId, hash, mediaType, size } = artifact
    rows.artifacts.push({
      id: artifactId,
      conversationId: id,
      hash,
      mediaType,
      size,
      content,
      createdAt: created,
    })
  }
  return { conversations: [conversation], ...rows, ...numberedAsks(rows) }
}

/** An imported conversation numbers its asks by id, whose part after the prefix is the time. */
function numberedAsks({ approvals, questions }: Pick<OpenRows, 'approvals' | 'questions'>) {
  const ages = [...approvals, ...questions].map(({ id }) => id.slice(4)).toSorted()
  const withNumber = <T extends { readonly id: string }>(row: T) => ({
    ...row,
    number: ages.indexOf(row.id.slice(4)) + 1,
  })
  return { approvals: approvals.map(withNumber), questions: questions.map(withNumber) }
}

type OpenRows = Mutable<Omit<DocumentRows, 'conversations'>>

function addBranch(rows: OpenRows, conversationId: ConversationId, placed: PlacedBranch): void {
  const branch = branchRow(conversationId, placed)
  const { runs, inbox = [], todos } = placed.branch!.metadata
  rows.branches.push(branch)
  addMessages(rows, branch, placed)
  for (const run of runs) addRun(rows, branch, run)
  for (const item of inbox)
    rows.inbox.push({ author: null, report: null, ...item, conversationId, branchId: branch.id })
  if (todos) rows.todos.push({ ...todos, conversationId, branchId: branch.id })
}

function branchRow(conversationId: ConversationId, placed: PlacedBranch): Branch {
  const { id, type, inheritContext, originToolCallId = null, created, updated, metadata } = placed.branch!
  const { agent = type === 'subagent' ? 'general' : 'main', label = type, outputSchema = null } = metadata
  return {
    id,
    conversationId,
    kind: (type === 'human' ? 'fork' : type) as BranchKind, // readers accept unknown kinds
    inheritContext,
    parentBranchId: placed.parentBranchId,
    originMessageId: placed.originMessageId,
    originToolCallId,
    agent,
    label,
    outputSchema,
    createdAt: created,
    updatedAt: updated,
  }
}

function addMessages(rows: OpenRows, { conversationId, id: branchId }: Branch, placed: PlacedBranch): void {
  placed.messages.forEach((message, position) => {
    const { id, role, state = 'complete', runId = null, usage = null, created: createdAt, parts } = message
    rows.messages.push({ id, conversationId, branchId, position, role, state, runId, usage, createdAt })
    parts.forEach((part, position) =>
      rows.parts.push({ id: part.id, messageId: id, conversationId, position, part }),
    )
  })
}

function addRun(rows: OpenRows, { conversationId, id: branchId }: Branch, exported: ExportedRun): void {
  const { calls, ...run } = exported
  const later = { output: null, setup: null, partialFrom: null, unreported: null, finishReason: null }
  rows.runs.push({ ...later, ...run, pausing: null, conversationId, branchId })
  const place = { conversationId, branchId, runId: run.id }
  for (const { approvals = [], questions = [], facts = null, ...call } of calls) {
    rows.tool_calls.push({ ...call, ...place, facts })
    const asked = { ...place, callId: call.id }
    for (const approval of approvals) rows.approvals.push({ ...approval, ...asked, offered: null, number: 0 })
    for (const question of questions) rows.questions.push({ ...question, ...asked, number: 0 })
  }
}

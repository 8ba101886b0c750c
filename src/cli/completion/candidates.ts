import { join } from 'node:path'
import { builtinAgents } from '../../agents/builtin-agents.ts'
import { unreachable } from '../../core/errors.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { catalogue } from '../../model/models-and-prices.ts'
import { loadProject } from '../../project/project.ts'
import { dataHome, type Env } from '../../config/homes.ts'
import { readSessions } from '../../server/sessions/session-file.ts'
import type { Reader } from '../../store/port.ts'
import { lookAtStore } from '../../store/sqlite/read-only-store.ts'
import { ruleText } from '../terminal/rule-text.ts'
import type { Asked } from './command-table.ts'

export interface Candidate {
  readonly word: string
  readonly about: string
}

/**
 * What a person may mean, the latest first. Only words that are safe on a command line as they are: names come from
 * files. The store is read as it lies there, and not made. @throws OffshootError when it cannot be read.
 */
export async function candidates(what: Asked, directory: string, env: Env): Promise<readonly Candidate[]> {
  const found = await find(what, directory, env)
  return found
    .filter(({ word }) => /^[\w./:@+-]+$/.test(word) && !word.startsWith('-'))
    .map(({ word, about }) => ({ word, about: terminalLine(about).slice(0, MAX_ABOUT) }))
}

const MAX_ABOUT = 60

function find(what: Asked, directory: string, env: Env): Promise<Candidate[]> | Candidate[] {
  switch (what) {
    case 'agents':
      return agents(directory, env)
    case 'sessions':
      return readSessions(dataHome(env)).map(({ id, browser }) => ({ word: id, about: browser }))
    case 'models':
      return [...Object.keys(catalogue).map((word) => ({ word, about: '' })), OFFLINE]
    case 'ids':
    case 'conversations':
    case 'branches':
    case 'runs':
    case 'items':
    case 'grants':
      return stored(what, env)
    default:
      return unreachable(what)
  }
}

const OFFLINE = { word: 'offline', about: 'rule-based search' }

async function agents(directory: string, env: Env): Promise<Candidate[]> {
  const { agents } = (await loadProject(directory, env)).found
  const known = new Map([...builtinAgents(), ...agents].map(({ name, description }) => [name, description]))
  return [...known].map(([word, about]) => ({ word, about }))
}

type Stored = Exclude<Asked, 'agents' | 'models' | 'sessions'>

async function stored(what: Stored, env: Env): Promise<Candidate[]> {
  const look = lookAtStore(join(dataHome(env), 'offshoot.db'))
  try {
    return look?.reader ? rows(what, look.reader) : []
  } finally {
    await look?.close()
  }
}

function rows(what: Stored, reader: Reader): Candidate[] {
  const latest = { descending: true, limit: LATEST } as const
  switch (what) {
    case 'conversations':
      return reader
        .find('conversations', { orderBy: 'updatedAt', ...latest })
        .map(({ id, title }) => ({ word: id, about: title }))
    case 'branches':
      return reader
        .find('branches', { orderBy: 'id', ...latest })
        .map(({ id, kind, agent, label }) => ({ word: id, about: `${kind} ${agent}: ${label}` }))
    case 'runs':
      return reader.find('runs', { orderBy: 'id', ...latest }).map(({ id, status, agent, description }) => ({
        word: id,
        about: `${status} ${agent}: ${description}`,
      }))
    case 'items':
      return reader
        .find('inbox', { where: { deliveredAt: null, withdrawnAt: null }, orderBy: 'id', ...latest })
        .map(({ id, kind, text }) => ({ word: id, about: `${kind}: ${text}` }))
    case 'grants':
      return reader
        .find('rules', { where: { kind: 'grant', branchId: null }, orderBy: 'id', ...latest })
        .map((row) => ({ word: row.id, about: ruleText(row) }))
    case 'ids':
      return [
        ...(['conversations', 'branches', 'runs'] as const).flatMap((each) => rows(each, reader)),
        ...openApprovals(reader),
        ...openQuestions(reader),
      ]
    default:
      return unreachable(what)
  }
}

const LATEST = 50

function openApprovals(reader: Reader): Candidate[] {
  return reader
    .find('approvals', { where: { answer: null }, orderBy: 'id', descending: true, limit: LATEST })
    .map(({ id, title }) => ({ word: id, about: title }))
}

function openQuestions(reader: Reader): Candidate[] {
  return reader
    .find('questions', { where: { answeredAt: null }, orderBy: 'id', descending: true, limit: LATEST })
    .map(({ id, question }) => ({ word: id, about: question }))
}

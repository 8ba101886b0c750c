import type { Query, Reader, Table } from '../store/port.ts'

export interface IdCandidate {
  readonly id: string
  /** What a person knows it by. */
  readonly about: string
  /** The branch of something that is not one itself. */
  readonly branchId?: string
}

interface KindFacts {
  readonly noun: string
  readonly plural: string
  /** The command that prints the ids. */
  readonly listedBy: string
  /** Newest first. */
  readonly find: (store: Reader, query: IdQuery) => IdCandidate[]
}

interface IdQuery extends Pick<Query<Table>, 'after' | 'before'> {
  readonly limit: number
  /** Leaves out what no command can change any more: what was answered, delivered or withdrawn. */
  readonly isOpen?: true
}

const descending = { descending: true } as const

/** What a command can take an id of, by the letters before the underscore. */
export const idKinds = {
  cnv: {
    noun: 'conversation',
    plural: 'conversations',
    listedBy: 'offshoot ls lists the conversations',
    find: (store, { isOpen: _, ...query }) =>
      store.find('conversations', { ...query, ...descending }).map(({ id, title }) => ({ id, about: title })),
  },
  brn: {
    noun: 'branch',
    plural: 'branches',
    listedBy: 'offshoot show ID lists the branches of a conversation',
    find: (store, { isOpen: _, ...query }) =>
      store.find('branches', { ...query, ...descending }).map(({ id, label }) => ({ id, about: label })),
  },
  run: {
    noun: 'run',
    plural: 'runs',
    listedBy: 'offshoot ps --all lists the runs',
    find: (store, { isOpen: _, ...query }) =>
      store
        .find('runs', { ...query, ...descending })
        .map(({ id, agent, description }) => ({ id, about: `${agent}: ${description}` })),
  },
  msg: {
    noun: 'message',
    plural: 'messages',
    listedBy: 'offshoot log ID --ids lists the messages of a conversation',
    find: (store, { isOpen: _, ...query }) =>
      store
        .find('messages', { ...query, ...descending })
        .map(({ id, role, branchId }) => ({ id, about: role, branchId })),
  },
  apr: {
    noun: 'approval',
    plural: 'approvals',
    listedBy: 'offshoot ps shows which runs wait for an answer',
    find: (store, { isOpen, ...query }) =>
      store
        .find('approvals', { ...query, ...descending, where: isOpen ? { answer: null } : {} })
        .map(({ id, title, branchId }) => ({ id, about: title, branchId })),
  },
  que: {
    noun: 'question',
    plural: 'questions',
    listedBy: 'offshoot ps shows which runs wait for an answer',
    find: (store, { isOpen, ...query }) =>
      store
        .find('questions', { ...query, ...descending, where: isOpen ? { answeredAt: null } : {} })
        .map(({ id, question, branchId }) => ({ id, about: question, branchId })),
  },
  inb: {
    noun: 'waiting message',
    plural: 'waiting messages',
    listedBy: 'offshoot inbox BRANCH lists the waiting messages',
    find: (store, { isOpen: _, ...query }) =>
      store
        .find('inbox', { ...query, ...descending, where: { deliveredAt: null, withdrawnAt: null } })
        .map(({ id, text, branchId }) => ({ id, about: text, branchId })),
  },
  rul: {
    noun: 'permission',
    plural: 'permissions',
    listedBy: 'offshoot permissions lists them',
    find: (store, { isOpen: _, ...query }) =>
      store
        .find('rules', { ...query, ...descending, where: { kind: 'grant', branchId: null } })
        .map(({ id, tool, pattern }) => ({ id, about: pattern === null ? tool : `${tool}:${pattern}` })),
  },
} as const satisfies Readonly<Record<string, KindFacts>>

export type IdKind = keyof typeof idKinds

type Paths = Readonly<Record<string, readonly ['GET' | 'POST' | 'PATCH' | 'DELETE', string]>>

/**
 * Method and path below `/api` of every JSON route. Plain data, so that clients do not load the schemas
 * (route-schemas.ts).
 */
export const paths = {
  health: ['GET', '/health'],
  listConversations: ['GET', '/conversations'],
  createConversation: ['POST', '/conversations'],
  getSnapshot: ['GET', '/conversations/:id'],
  updateConversation: ['PATCH', '/conversations/:id'],
  deleteConversation: ['DELETE', '/conversations/:id'],
  pauseConversation: ['POST', '/conversations/:id/pause'],
  interruptConversation: ['POST', '/conversations/:id/interrupt'],
  cancelConversation: ['POST', '/conversations/:id/cancel'],
  closeConversation: ['POST', '/conversations/:id/close'],
  listAsks: ['GET', '/conversations/:id/asks'],
  getBranch: ['GET', '/branches/:id'],
  listMessages: ['GET', '/branches/:id/messages'],
  sendMessage: ['POST', '/branches/:id/messages'],
  spawnOnBranch: ['POST', '/branches/:id/spawn'],
  continueBranch: ['POST', '/branches/:id/continue'],
  pauseBranch: ['POST', '/branches/:id/pause'],
  interruptBranch: ['POST', '/branches/:id/interrupt'],
  cancelBranch: ['POST', '/branches/:id/cancel'],
  steerBranch: ['POST', '/branches/:id/steer'],
  listInbox: ['GET', '/branches/:id/inbox'],
  clearInbox: ['DELETE', '/branches/:id/inbox'],
  forkMessage: ['POST', '/messages/:id/fork'],
  editMessage: ['POST', '/messages/:id/edit'],
  regenerateMessage: ['POST', '/messages/:id/regenerate'],
  listRuns: ['GET', '/runs'],
  getRun: ['GET', '/runs/:id'],
  continueRun: ['POST', '/runs/:id/continue'],
  pauseRun: ['POST', '/runs/:id/pause'],
  interruptRun: ['POST', '/runs/:id/interrupt'],
  cancelRun: ['POST', '/runs/:id/cancel'],
  backgroundRun: ['POST', '/runs/:id/background'],
  steerRun: ['POST', '/runs/:id/steer'],
  listQuestions: ['GET', '/questions'],
  answerQuestion: ['POST', '/questions/:id'],
  listApprovals: ['GET', '/approvals'],
  answerApproval: ['POST', '/approvals/:id'],
  getInboxItem: ['GET', '/inbox/:id'],
  changeInboxItem: ['PATCH', '/inbox/:id'],
  withdrawInboxItem: ['DELETE', '/inbox/:id'],
  listAgents: ['GET', '/agents'],
  listModels: ['GET', '/models'],
  listTools: ['GET', '/tools'],
  getConfig: ['GET', '/config'],
  getTrust: ['GET', '/trust'],
  giveTrust: ['POST', '/trust'],
  revokeTrust: ['POST', '/trust/revoke'],
  listSessions: ['GET', '/sessions'],
  endSession: ['DELETE', '/sessions/:id'],
  endSessions: ['DELETE', '/sessions'],
} as const satisfies Paths

export type RouteName = keyof typeof paths

/** Routes with another response type than JSON, or only for the server itself. */
export const otherPaths = {
  openApi: ['GET', '/openapi.json'],
  openSession: ['POST', '/sessions'],
  makeLink: ['POST', '/links'],
  exportConversation: ['GET', '/conversations/:id/export'],
  followEvents: ['GET', '/conversations/:id/events'],
  getArtifact: ['GET', '/artifacts/:id'],
} as const satisfies Paths

export type OtherRouteName = keyof typeof otherPaths

/** Header that the command line sends from a process started by a run: the id of that run. */
export const RUN_HEADER = 'offshoot-run'

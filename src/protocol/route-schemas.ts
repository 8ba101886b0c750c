import { z } from 'zod'
import {
  answerApproval,
  answerQuestion,
  approval,
  approvalAnswered,
  ask,
  asksQuery,
  question,
  questionAnswered,
} from './approvals-and-questions.ts'
import { changeInboxItem, inboxCleared, inboxItem, inboxItemChanged } from './inbox.ts'
import { agent, config, health, model, tool } from './agents-models-tools.ts'
import {
  branchPage,
  conversationCreated,
  conversationItem,
  createConversation,
  editMessage,
  forked,
  forkMessage,
  messageSent,
  regenerateMessage,
  sendMessage,
  snapshot,
  spawned,
  spawnSubagent,
  updateConversation,
} from './conversation.ts'
import { id, runStatus } from './fields.ts'
import { messagePage, pageQuery } from './message.ts'
import type { OtherRouteName, paths, RouteName } from './route-paths.ts'
import { run } from './run.ts'
import { giveTrust, revokeTrust, trust, trustQuery } from './trust.ts'
import { session, sessionEnded, sessionsEnded } from './session.ts'
import {
  backgrounded,
  cancelled,
  cancelRun,
  closed,
  continued,
  conversationInterrupted,
  continueRun,
  deleted,
  interrupted,
  nothing,
  paused,
  steered,
  steerRun,
} from './verbs.ts'

interface Route {
  /** The body of a POST or PATCH, an object; the query of a GET. */
  readonly input: z.ZodType
  readonly answer: z.ZodType
  /** Status of a successful response. */
  readonly status: 200 | 201 | 202
}

/** Unknown fields are refused, because they would have no effect. */
function route<I extends z.ZodType, A extends z.ZodType>(
  input: I,
  answer: A,
  status: Route['status'] = 200,
): { readonly input: I; readonly answer: A; readonly status: Route['status'] } {
  return { input: isLoose(input) ? (input.strict() as unknown as I) : input, answer, status }
}

function isLoose(input: z.ZodType): input is z.ZodObject {
  return input instanceof z.ZodObject && input.def.catchall === undefined
}

/** Of one conversation, or of all. */
const ofConversation = z.object({ conversation: id('cnv').optional() })

/**
 * `status` may list several, separated by commas. Without it: every run of the named conversation, branch or parent;
 * for the whole store, only runs that are not final.
 */
const runsQuery = ofConversation.extend({
  status: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.union([runStatus, z.literal('all')])))
    .optional(),
  branch: id('brn').optional(),
  parent: id('run').optional(),
})

/** Input and output of every JSON route (docs/server.md). */
export const routes = {
  health: route(nothing, health),
  listConversations: route(z.object({ directory: z.string().optional() }), z.array(conversationItem)),
  createConversation: route(createConversation, conversationCreated, 201),
  getSnapshot: route(nothing, snapshot),
  updateConversation: route(updateConversation, conversationItem),
  deleteConversation: route(nothing, deleted),
  pauseConversation: route(nothing, paused),
  interruptConversation: route(nothing, conversationInterrupted),
  cancelConversation: route(nothing, cancelled),
  closeConversation: route(nothing, closed),
  listAsks: route(asksQuery, z.array(ask)),
  getBranch: route(nothing, branchPage),
  listMessages: route(pageQuery, messagePage),
  sendMessage: route(sendMessage, messageSent, 202),
  spawnOnBranch: route(spawnSubagent, spawned, 202),
  continueBranch: route(continueRun, continued, 202),
  pauseBranch: route(nothing, paused),
  interruptBranch: route(nothing, interrupted),
  cancelBranch: route(nothing, cancelled),
  steerBranch: route(steerRun, steered, 202),
  listInbox: route(nothing, z.array(inboxItem)),
  clearInbox: route(nothing, inboxCleared),
  forkMessage: route(forkMessage, forked, 201),
  editMessage: route(editMessage, forked, 201),
  regenerateMessage: route(regenerateMessage, forked, 201),
  listRuns: route(runsQuery, z.array(run)),
  getRun: route(nothing, run),
  continueRun: route(continueRun, continued, 202),
  pauseRun: route(nothing, paused),
  interruptRun: route(nothing, interrupted),
  cancelRun: route(cancelRun, cancelled),
  backgroundRun: route(nothing, backgrounded),
  steerRun: route(steerRun, steered, 202),
  listQuestions: route(ofConversation, z.array(question)),
  answerQuestion: route(answerQuestion, questionAnswered),
  listApprovals: route(ofConversation, z.array(approval)),
  answerApproval: route(answerApproval, approvalAnswered),
  getInboxItem: route(nothing, inboxItem),
  changeInboxItem: route(changeInboxItem, inboxItemChanged),
  withdrawInboxItem: route(nothing, inboxItemChanged),
  listAgents: route(ofConversation, z.array(agent)),
  listModels: route(nothing, z.array(model)),
  listTools: route(nothing, z.array(tool)),
  getConfig: route(nothing, config),
  getTrust: route(trustQuery, trust),
  giveTrust: route(giveTrust, trust),
  revokeTrust: route(revokeTrust, trust),
  listSessions: route(nothing, z.array(session)),
  endSession: route(nothing, sessionEnded),
  endSessions: route(nothing, sessionsEnded),
} as const satisfies Readonly<Record<RouteName, Route>>

const exportQuery = z.strictObject({ format: z.enum(['json', 'md', 'html']).optional() })
export type ExportFormat = NonNullable<z.infer<typeof exportQuery>['format']>

/** Events after this `seq`. */
const eventsQuery = z.strictObject({
  after: z
    .string()
    .regex(/^\d{1,15}$/, 'expected the seq of an event')
    .transform(Number)
    .optional(),
})

/** Key of a sign-in link, exchanged for a session. */
const linkKey = z.strictObject({ key: z.string().max(100) })

/** Input of the other routes. */
export const otherInputs = {
  openApi: nothing,
  openSession: linkKey,
  makeLink: nothing,
  exportConversation: exportQuery,
  followEvents: eventsQuery,
  getArtifact: nothing,
} as const satisfies Readonly<Record<OtherRouteName, z.ZodType>>

export type OtherInput<N extends OtherRouteName> = z.output<(typeof otherInputs)[N]>

type Routes = typeof routes
type HasId<N extends RouteName> = (typeof paths)[N][1] extends `${string}:id${string}`
  ? { readonly id: string }
  : unknown

/** Input from a client: the id in the path, and the body or query. */
export type RouteInput<N extends RouteName> = HasId<N> & z.input<Routes[N]['input']>
export type RouteAnswer<N extends RouteName> = z.output<Routes[N]['answer']>

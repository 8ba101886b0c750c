import { authorOfMessage, authorWords, SUMMARY_WORDS } from '../core/message.ts'
import {
  outputForPeople,
  reportDetails,
  reportHeadline,
  reportRemarks,
  reportTitle,
} from '../core/report/report-words.ts'
import { callEnd } from '../core/report/call-end.ts'
import { headline } from '../core/report-summary.ts'
import { timeOfId } from '../core/ids.ts'
import { isFinal, isStopped, wakesParent } from '../core/run-status.ts'
import { activityOf } from '../core/status-line/activity.ts'
import { factsAround, familyTree } from '../core/status-line/facts-around.ts'
import { statusLine } from '../core/status-line/status-line.ts'
import { unansweredReports } from '../core/status-line/unread-reports.ts'
import { addCost, addUsage, noUsage } from '../core/usage.ts'

const authorship = {
  authorOfMessage,
  authorWords,
  SUMMARY_WORDS,
  callEnd,
  outputForPeople,
  reportDetails,
  reportHeadline,
  reportRemarks,
  reportTitle,
} as const

/** What a client derives of events in the same manner as the server does of rows. */
export const shared = {
  ...authorship,
  headline,
  isFinal,
  isStopped,
  wakesParent,
  addCost,
  addUsage,
  noUsage,
  statusLine,
  unansweredReports,
  activityOf,
  factsAround,
  familyTree,
  timeOfId,
} as const

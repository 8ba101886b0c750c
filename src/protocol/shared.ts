import { commandSandboxWords, sandboxLabel } from '../core/command-sandbox.ts'
import { messageNumbers } from '../core/message-numbers.ts'
import { authorOfMessage, authorWords, SUMMARY_WORDS } from '../core/message.ts'
import {
  outputForPeople,
  reportDetails,
  reportHeadline,
  reportLine,
  reportRemarks,
  reportTitle,
} from '../core/report/report-words.ts'
import { personAnswer } from '../core/report/person-answer.ts'
import { callEnd } from '../core/report/call-end.ts'
import { headline } from '../core/report-summary.ts'
import { wasRefused } from '../core/finish-reason.ts'
import { timeOfId } from '../core/ids.ts'
import { isFinal, isStopped, wakesParent } from '../core/run-status.ts'
import { activityOf } from '../core/status-line/activity.ts'
import { factsAround, familyTree } from '../core/status-line/facts-around.ts'
import { statusLine } from '../core/status-line/status-line.ts'
import { addCost, addUsage, noUsage } from '../core/usage.ts'

const authorship = {
  authorOfMessage,
  authorWords,
  SUMMARY_WORDS,
  callEnd,
  outputForPeople,
  personAnswer,
  reportDetails,
  reportHeadline,
  reportLine,
  reportRemarks,
  reportTitle,
} as const

/** Values that clients derive from events the same way the server derives them from rows. */
export const shared = {
  ...authorship,
  commandSandboxWords,
  sandboxLabel,
  messageNumbers,
  headline,
  isFinal,
  isStopped,
  wasRefused,
  wakesParent,
  addCost,
  addUsage,
  noUsage,
  statusLine,
  activityOf,
  factsAround,
  familyTree,
  timeOfId,
} as const

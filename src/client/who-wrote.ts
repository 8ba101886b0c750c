import { shared } from '../protocol/shared.ts'

/** Who wrote what, and what a report says, in the words that every surface uses. */
export const {
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
  wakesParent,
} = shared

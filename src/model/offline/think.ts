import { citationsIn } from './citation.ts'
import { answerFromData } from './data-answer.ts'
import {
  CANNOT_CHANGE,
  composeAnswer,
  delegate,
  hasFailed,
  isReport,
  passOn,
  planText,
} from './main-agent.ts'
import { writePlan } from './planner.ts'
import { readQuestion, type OfflineQuestion } from './question.ts'
import { research } from './researcher.ts'
import { answerOf, writeReport } from './report.ts'
import { reviewCalls, writeReview } from './reviewer.ts'
import type { Thought } from './search-calls.ts'
import { nextCalls } from './searcher.ts'
import { smallTalk } from './small-talk.ts'
import type { Transcript } from './prompt-transcript.ts'

export interface Situation {
  readonly agent: string
  readonly transcript: Transcript
  /** Names of the available tools; empty if the model must conclude. */
  readonly offered: ReadonlySet<string>
}

/** The whole model: a pure function of the prompt. */
export function think(situation: Situation): Thought {
  const question = readQuestion(situation.transcript)
  const { data } = situation.transcript
  if (data !== null) return { text: aboutData(question, situation.transcript, data), calls: [] }
  if (situation.agent === 'reviewer') return review(question, situation)
  const researched =
    situation.agent === 'researcher' ? research(situation.transcript, situation.offered) : null
  if (researched) return researched
  const talk = smallTalk(question.intent)
  if (talk !== null) return { text: talk, calls: [] }
  if (isReport(situation.transcript.question))
    return { text: passOn(situation.transcript.question), calls: [] }
  if (situation.agent === 'researcher' && !situation.offered.has('grep')) return { text: NO_WEB, calls: [] }
  return situation.agent === 'main' ? asMain(question, situation) : search(question, situation)
}

function aboutData({ intent }: OfflineQuestion, { question, steers }: Transcript, data: string): string {
  const answer = answerFromData([question, ...steers].join('\n'), data)
  return intent === 'change' ? `${CANNOT_CHANGE}\n\n${answer}` : answer
}

const NO_WEB =
  'I cannot look this up: I am offline, a rule-based search and not a language model. I can open addresses that the task names and quote the lines that match. To search the web I need a provider (docs/web.md). A language model (option -m) can also judge what it reads.'

function asMain(question: OfflineQuestion, situation: Situation): Thought {
  const { transcript, offered } = situation
  const tasks = transcript.turns.flat().filter((call) => call.tool === 'task')
  const asked = transcript.turns
    .slice(transcript.turnsBeforeSteer)
    .flat()
    .some((call) => call.tool === 'task')
  if (offered.has('task') && !asked) {
    const calls = delegate(question.angles, transcript)
    if (calls.length > 0) return { text: planText(calls), calls }
  }
  const useful = tasks.some((task) => !hasFailed(task) || citationsIn(task.output).length > 0)
  if (tasks.length === 0) return search(question, situation)
  if (!useful && offered.has('grep')) return instead(search(question, situation), tasks.length)
  return { text: composeAnswer(question, tasks), calls: [] }
}

/** Searches itself if its subagents returned nothing. */
function instead({ text, calls }: Thought, failed: number): Thought {
  if (calls.length > 0) return { text, calls }
  return {
    text: `I asked for ${failed} subagents, but none brought a result, so I searched myself.\n\n${text}`,
    calls,
  }
}

function search(question: OfflineQuestion, { transcript, offered, agent }: Situation): Thought {
  const own = {
    ...transcript,
    turns: transcript.turns.filter((turn) => turn.every((call) => call.tool !== 'task')),
  }
  const calls = nextCalls(question.angles, own, offered)
  if (calls.length > 0) return { text: '', calls }
  const past = own.turns.flat()
  if (agent === 'planner') return { text: writePlan(answerOf(question.angles, past)), calls: [] }
  const report = writeReport(question.angles, past)
  return {
    text: question.intent === 'change' && agent === 'main' ? `${CANNOT_CHANGE}\n\n${report}` : report,
    calls: [],
  }
}

function review(question: OfflineQuestion, { transcript, offered }: Situation): Thought {
  const calls = reviewCalls(question, transcript).filter((call) => offered.has(call.tool))
  return calls.length > 0
    ? { text: '', calls }
    : { text: writeReview(question, transcript.turns.flat()), calls: [] }
}

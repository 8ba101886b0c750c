import type { Command } from 'commander'
import { OffshootError } from '../../core/errors.ts'
import { isId } from '../../core/ids.ts'
import type { Question } from '../../core/run.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import { writeStderr, write, type Io } from '../io.ts'
import { isTypedNumber, whichOf } from '../terminal/ask-number.ts'
import { onlyAsked, placeInLine } from '../terminal/open-asks.ts'
import { openStore } from '../open-store.ts'
import { exactIdOf } from '../typed-id.ts'
import { unknownId } from '../unknown-id.ts'
import { performVerb } from '../remote/perform-verb.ts'
import { answerWord, chosenAnswer } from '../terminal/chosen-answer.ts'
import { questionText } from '../terminal/approval-prompt-text.ts'

export function answerCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  program
    .command('answer')
    .description('answer a question of an agent; without a text: show it')
    .argument(
      '<question>',
      'id of a question or a unique prefix; its number, such as "#3" or CONVERSATION#3; or a run, branch or conversation with one open question',
    )
    .argument('[text]', 'the answer, or the number of an option; a number of your own in double quotes')
    .action(async (id: string, text: string | undefined) => {
      const asked = await findQuestion(id, io)
      if (text === undefined) {
        setExitCode(exitCodes.usage)
        return await show(asked, io)
      }
      const { question } = asked
      const answer = readAnswer(question, text)
      const args = { text: answer, by: 'offshoot answer' }
      const command = { verb: 'answer', target: question.id, args } as const
      const done = await performVerb(io, question.conversationId, command)
      const waits = done.waits ? '; no process runs it now: the answer counts when it is resumed' : ''
      const which = whichOf(question, question.question)
      await write(io, `${question.id}: ${terminalLine(answer)}: ${which}${waits}\n`)
    })
}

/** @throws OffshootError `usage` for an empty answer, and for a number that no option has. */
function readAnswer(question: Question, typed: string): string {
  const { text, problem } = chosenAnswer(question.options, typed)
  if (problem !== undefined) {
    const options = question.options.map((option, at) => `${at + 1}: ${terminalLine(option)}`).join(', ')
    throw new OffshootError('usage', `${problem} of ${question.id}`, {
      hint: `${options}; as an answer of your own: offshoot answer ${question.id} '"${text}"'`,
    })
  }
  if (text !== '') return text
  throw new OffshootError('usage', 'the answer is empty', { hint: commandLine(question) })
}

function commandLine(question: Question): string {
  return `offshoot answer ${question.id} ${answerWord(question)}`
}

interface ListedQuestion {
  readonly question: Question
  readonly position: number
  readonly of: number
}

/** @throws OffshootError `usage` where the id names no question, or more than one. */
async function findQuestion(typed: string, io: Io): Promise<ListedQuestion> {
  await using store = await openStore(io)
  const id = isTypedNumber(typed) ? typed : exactIdOf(store, typed, io, ['que'])
  if (isId('apr', id) && store.get('approvals', id))
    throw new OffshootError('usage', `${id} is an approval`, {
      hint: `offshoot approve ${id} once|run|always|deny answers it`,
    })
  const known = isId('que', id) ? id : onlyAsked(store, id, 'answer')
  const question = store.get('questions', known)
  if (!question) throw unknownId(store, id, ['que'])
  return { question, ...placeInLine(store, question.conversationId, question.id) }
}

async function show({ question, ...place }: ListedQuestion, io: Io): Promise<void> {
  const { id, answer, answeredBy, answeredAt } = question
  if (answeredAt === null) {
    const { path, options } = question
    await write(io, questionText({ ...question, path: [...path], options: [...options], ...place }))
    return await writeStderr(io, `offshoot: ${commandLine(question)}\n`)
  }
  const what = answer === null ? 'closed without an answer' : terminalLine(answer)
  const when = new Date(answeredAt).toISOString()
  const by = terminalLine(answeredBy ?? '')
  await write(io, `${id}: ${terminalLine(question.question)}: ${what}, by ${by}, ${when}\n`)
}

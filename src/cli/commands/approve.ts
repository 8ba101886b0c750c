import { Argument, Option, type Command } from 'commander'
import { OffshootError } from '../../core/errors.ts'
import { isId } from '../../core/ids.ts'
import type { Approval, ApprovalAnswer } from '../../core/run.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { GrantScope } from '../../runtime/asking/grants.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import { writeApproval, writeStderr, write, type Io } from '../io.ts'
import { isTypedNumber, whichOf } from '../terminal/ask-number.ts'
import { onlyAsked, placeInLine } from '../terminal/open-asks.ts'
import { openStore } from '../open-store.ts'
import { exactIdOf } from '../typed-id.ts'
import { unknownId } from '../unknown-id.ts'
import { performVerb } from '../remote/perform-verb.ts'
import { answerWord } from '../terminal/chosen-answer.ts'
import { answerWords, grantText, approvalText } from '../terminal/approval-prompt-text.ts'

const ANSWERS = ['once', 'run', 'always', 'deny'] as const satisfies readonly ApprovalAnswer[]
const SCOPES = ['conversation', 'project'] as const satisfies readonly GrantScope[]

interface ApproveFlags {
  readonly note?: string
  readonly pattern?: string
  readonly scope?: GrantScope
}

export function approveCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  program
    .command('approve')
    .description('answer a request for permission; without an answer: show it')
    .argument(
      '<id>',
      'id of an approval or a unique prefix; its number, such as "#3" or CONVERSATION#3; or a run, branch or conversation with one open request',
    )
    .addArgument(
      new Argument('[answer]', 'allow it once, for this run or always; or deny it')
        .choices(ANSWERS)
        .argParser(answerOf),
    )
    .option('--note <text>', 'tell the model why you deny')
    .option('--pattern <pattern>', 'with run or always: allow this pattern instead of the one shown')
    .addOption(
      new Option('--scope <where>', 'with always: allow it in this conversation, or in its directory')
        .choices(SCOPES)
        .default(undefined, 'conversation'),
    )
    .action(async (id: string, answer: ApprovalAnswer | undefined, flags: ApproveFlags) => {
      const asked = await findApproval(id, io)
      if (!answer) {
        setExitCode(exitCodes.usage)
        return await show(asked, io)
      }
      const { approval } = asked
      const args = { answer, by: 'offshoot approve', ...flags }
      const command = { verb: 'approve', target: approval.id, args } as const
      const done = await performVerb(io, approval.conversationId, command)
      const waits = done.waits ? '; no process runs it now: the answer counts when it is resumed' : ''
      await write(io, `${approval.id}: ${answer}: ${whichOf(approval, approval.title)}${waits}\n`)
    })
}

/** @throws OffshootError `usage` that lists the answers. */
function answerOf(typed: string): ApprovalAnswer {
  const answer = ANSWERS.find((each) => each === typed)
  if (answer) return answer
  const meant = MEANT.find(([pattern]) => pattern.test(typed))?.[1]
  const hint = `answers: once (this call), run (calls of its kind in this run), always (calls of its kind in this conversation), deny`
  throw new OffshootError('usage', `${JSON.stringify(typed.slice(0, 64))} is not an answer to an approval`, {
    hint: meant ? `did you mean ${meant}? ${hint}` : hint,
  })
}

/** A word for yes suggests the narrowest permission. */
const MEANT: readonly (readonly [RegExp, ApprovalAnswer])[] = [
  [/^(y|yes|ok|allow|approve|accept)$/i, 'once'],
  [/^(n|no|reject|refuse)$/i, 'deny'],
]

interface ListedApproval {
  readonly approval: Approval
  readonly position: number
  readonly of: number
}

/** @throws OffshootError `usage` where the id names no approval, or more than one. */
async function findApproval(typed: string, io: Io): Promise<ListedApproval> {
  await using store = await openStore(io)
  const id = isTypedNumber(typed) ? typed : exactIdOf(store, typed, io, ['apr'])
  const question = isId('que', id) ? store.get('questions', id) : undefined
  if (question)
    throw new OffshootError('usage', `${id} is a question`, {
      hint: `offshoot answer ${id} ${answerWord(question)} answers it`,
    })
  const known = isId('apr', id) ? id : onlyAsked(store, id, 'approve')
  const approval = store.get('approvals', known)
  if (!approval) throw unknownId(store, id, ['apr'])
  return { approval, ...placeInLine(store, approval.conversationId, approval.id) }
}

async function show({ approval, ...place }: ListedApproval, io: Io): Promise<void> {
  if (approval.answer === null) {
    const text = approvalText({ ...approval, path: [...approval.path], ...place })
    await writeApproval(io, text + grantText(approval.offered))
    return await writeStderr(
      io,
      `offshoot: offshoot approve ${approval.id} ${answerWords(approval.offered)}\n`,
    )
  }
  const { id, title, answer, answeredBy, answeredAt } = approval
  const when = new Date(answeredAt ?? 0).toISOString()
  await write(io, `${id}: ${terminalLine(title)}: ${answer}, by ${terminalLine(answeredBy ?? '')}, ${when}\n`)
}

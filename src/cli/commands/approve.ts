import { Argument, type Command } from 'commander'
import { OffshootError } from '../../core/errors.ts'
import { isId, type ConversationId } from '../../core/ids.ts'
import type { Approval, ApprovalAnswer } from '../../core/run.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { Reader } from '../../store/port.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import { say, write, type Io } from '../io.ts'
import { openStore } from '../open-store.ts'
import { performVerb } from '../perform.ts'
import { questionText } from '../question-text.ts'
import { findSubject } from '../subject.ts'

const ANSWERS = ['once', 'run', 'always', 'deny'] as const satisfies readonly ApprovalAnswer[]

export function approveCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  program
    .command('approve')
    .description('answer what a run asks; without an answer: show it')
    .argument('<id>', 'of an approval, or of a run, branch or conversation that asks one thing')
    .addArgument(new Argument('[answer]', 'once, for this run, always, or not').choices(ANSWERS))
    .option('--note <text>', 'why; the model reads it with a denial')
    .action(async (id: string, answer: ApprovalAnswer | undefined, { note }: { note?: string }) => {
      const asked = await findQuestion(id, io)
      if (!answer) {
        setExitCode(exitCodes.usage)
        return await show(asked, io)
      }
      const args = { answer, by: 'offshoot approve', ...(note === undefined ? {} : { note }) }
      const { approval } = asked
      const done = await performVerb(io, approval.conversationId, {
        verb: 'approve',
        target: approval.id,
        args,
      })
      const waits = done.waits ? '; nobody drives it now, the answer is kept until somebody does' : ''
      await write(io.stdout, `${approval.id}: ${answer}${waits}\n`)
    })
}

interface Asked {
  readonly approval: Approval
  /** Among the open questions of the conversation. */
  readonly position: number
  readonly of: number
}

/** @throws OffshootError `usage` where the id names no question, or more than one. */
async function findQuestion(id: string, io: Io): Promise<Asked> {
  await using store = await openStore(io.env)
  const approval = isId('apr', id) ? store.get('approvals', id) : onlyOne(store, id)
  if (!approval) throw new OffshootError('usage', `there is no approval ${id}`, { hint: WHERE })
  const open = openOnes(store, approval.conversationId)
  return { approval, position: 1 + open.findIndex((each) => each.id === approval.id), of: open.length }
}

const WHERE = 'offshoot ps shows which runs wait for an answer'

function onlyOne(store: Reader, id: string): Approval {
  const subject = findSubject(store, id)
  const open = openOnes(store, subject.conversation.id).filter((each) =>
    subject.type === 'run' ? each.runId === id : subject.type === 'branch' ? each.branchId === id : true,
  )
  if (open.length === 1) return open[0]!
  const list = open.map((each) => `${each.id} (${terminalLine(each.title)})`).join(', ')
  const what = open.length === 0 ? 'asks nothing' : `asks ${open.length} things: ${list}`
  throw new OffshootError('usage', `${id} ${what}`, { hint: WHERE })
}

function openOnes(store: Reader, conversationId: ConversationId): Approval[] {
  return store.find('approvals', { where: { conversationId, answer: null }, orderBy: 'id' })
}

async function show({ approval, ...place }: Asked, io: Io): Promise<void> {
  if (approval.answer === null) {
    await write(io.stdout, questionText({ ...approval, path: [...approval.path], ...place }))
    return await say(io, `offshoot: offshoot approve ${approval.id} ${ANSWERS.join('|')}\n`)
  }
  const { id, title, answer, answeredBy, answeredAt } = approval
  const when = new Date(answeredAt ?? 0).toISOString()
  await write(
    io.stdout,
    `${id}: ${terminalLine(title)}: ${answer}, by ${terminalLine(answeredBy ?? '')}, ${when}\n`,
  )
}

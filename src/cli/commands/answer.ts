import type { Command } from 'commander'
import { OffshootError } from '../../core/errors.ts'
import type { Io } from '../io.ts'

export function answerCommand(program: Command, _io: Io): void {
  program
    .command('answer')
    .description('answer a question of a run')
    .argument('<question>', 'its id')
    .argument('<text>')
    .action((question: string) => {
      throw new OffshootError(
        'not_found',
        `there is no open question ${JSON.stringify(question.slice(0, 100))}`,
        {
          hint: 'offshoot ps shows what runs wait for; approvals are answered by offshoot approve',
        },
      )
    })
}

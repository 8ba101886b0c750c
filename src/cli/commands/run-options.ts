import { Option, type Command } from 'commander'
import type { Io } from '../io.ts'
import { parseDollars, wholeNumber } from '../number-options.ts'
import { INPUT_FORMATS, type RunFlags } from '../run-flags.ts'
import { setOption } from '../set-option.ts'
import { sandboxOption } from '../sandbox-option.ts'
import { approvalsOption, budgetOption, modeOption } from '../terminal/follow-run.ts'
import { addOutputOptions } from '../terminal/output-flags.ts'

export function addRunOptions(command: Command, io: Io): Command {
  addOutputOptions(command, io)
    .option('-C, --directory <dir>', 'work in this directory', '.')
    .option('-m, --model <provider/model>', 'use this model; offshoot models lists them')
    .option('--agent <name>', 'the agent that answers', 'main')
    .addOption(modeOption())
    .addOption(sandboxOption())
    .addOption(approvalsOption())
    .option(
      '--allow <rule>',
      'allow calls in this run: TOOL or TOOL:PATTERN, such as "bash:npm test *"; repeatable',
      add,
    )
    .option('--deny <rule>', 'deny calls in this run; same syntax as --allow', add)
    .option('--add-dir <dir...>', 'let this run use files in another directory too')
    .option('--max-turns <n>', 'maximum turns of the main run', wholeNumber)
    .addOption(budgetOption())
    .addOption(setOption())
    .option(
      '--append-system-prompt <text>',
      'add text to the instructions of the agent; new conversations only',
    )
    .option('--json-schema <schema>', 'require an answer that satisfies this JSON Schema')
    .option('--conversation <id>', 'continue this conversation')
    .addOption(
      new Option('-c, --continue', 'continue the latest conversation of this directory').conflicts([
        'conversation',
        'session',
      ]),
    )
    .addOption(
      new Option(
        '-r, --resume [id]',
        'continue this conversation; without an id, pick one from a list',
      ).conflicts(['conversation', 'continue']),
    )
    .option(
      '--fork-session',
      'with --continue or --resume: answer on a new branch that starts at the last message',
    )
    .addOption(
      new Option(
        '--input-format <format>',
        'stream-json: read one message per line from stdin, and answer each in order',
      )
        .choices(INPUT_FORMATS)
        .default('text'),
    )
    .option('--verbose', 'print each step on a line of its own')
    .option('--background', 'let a running offshoot serve run it, and print the ids')
  return addForeignOptions(command)
}

function add(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** In the words of other programs: not in the help, but on docs/coming-from.md. */
const FOREIGN = [
  '-p, --print',
  '--permission-mode <mode>',
  '--allowed-tools, --allowedTools <tools...>',
  '--disallowed-tools, --disallowedTools <tools...>',
  '--tools <tools...>',
  '--max-budget-usd <n>',
  '-s, --session <id>',
  '--full-auto',
  '--json',
  '--format <format>',
  '-f, --file <file...>',
  '-a, --ask-for-approval <policy>',
  '-o, --output-last-message <file>',
  '--output-schema <file>',
  '--skip-git-repo-check',
  '--system-prompt <text>',
  '--mcp-config <configs...>',
  '--fallback-model <model>',
  '--cd <dir>',
  '--agents <json>',
  '--session-id <id>',
  '--title <title>',
  '--attach <url>',
  '--yolo',
  '--dangerously-skip-permissions',
  '--dangerously-bypass-approvals-and-sandbox',
] as const

function addForeignOptions(command: Command): Command {
  for (const flags of FOREIGN) {
    const option = new Option(flags).hideHelp()
    command.addOption(flags.startsWith('--max-budget') ? option.argParser(parseDollars) : option)
  }
  return command
}

/** What was given on the command line, in our words. @throws OffshootError `usage` for what cannot be said in them. */
export async function readRunFlags(command: Command): Promise<RunFlags> {
  const isGiven = (option: Option) => command.getOptionValueSource(option.attributeName()) === 'cli'
  const isAgentNamed = command.getOptionValueSource('agent') === 'cli'
  const { resume, ...flags } = command.opts<RunFlags & { readonly resume?: string | true }>()
  const own = { ...flags, isAgentNamed, ...(resume === undefined ? {} : { conversation: resume }) }
  if (!command.options.some((option) => option.hidden && isGiven(option))) return own
  return (await import('../foreign/in-our-words.ts')).inOurWords(own)
}

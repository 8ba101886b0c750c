import type { Action } from '../../../src/core/agent.ts'
import { bashRule, decideCommand } from '../../../src/permissions/fixtures/example-workspace.ts'
import { surveyScript } from '../../../src/permissions/shell/survey-script.ts'
import type { Random } from '../../sim/random.ts'
import { rowsOf } from '../corpus.ts'
import { cpuMs } from '../cpu-time.ts'
import { mutatedText } from '../mutate.ts'
import { hold, type Target } from '../target.ts'

type ShownRule = { readonly tool: string; readonly pattern?: string; readonly action: Action }

type Input = {
  readonly rules: readonly ShownRule[]
  readonly command: string
  /** How strict the answer is at least: the line runs a command that the rules forbid. */
  readonly atLeast: Action
  /** What is set before and behind the command; with it the answer never is a wider one. */
  readonly around: string
}

const DECIDE_MS = 100

const ROWS = [
  ...rowsOf<{ command: string; rules: readonly ShownRule[] }>('src/permissions/fixtures/bash.jsonl'),
  ...rowsOf<{ command: string; rules: readonly string[] }>('src/permissions/fixtures/commands.jsonl').map(
    ({ command, rules }) => ({ command, rules: rules.map((each) => bashRule(each)) }),
  ),
].map(({ command, rules }) => ({ command: command.slice(0, 2_000), rules: rules as readonly ShownRule[] }))
const COMMANDS = ROWS.map(({ command }) => command)

const DICTIONARY =
  `$( ) \` " ' ; | |& & && || < > >> << <<< <( >( { } [[ ]] (( )) $(( \${ x:- @P ! # \\ ~ * ? [ a[ = += $x $@ $'\\x41'
  eval bash -c sh env sudo xargs find -exec {} + touch PWNED git -c sed awk case esac in if then fi for do done while
  function coproc time exec command builtin nohup timeout 5 cat secrets/a .env ../ -- -I --to-command= $IFS <&- 2>&1`
    .split(/\s+/)
    .concat(['\n', ' ', '\t', '\\\n', ' # ', '<<E\n', '\nE\n'])

/** `%`: the command. They neither change directories or variables, nor take what it prints for a command. */
const AROUND = [
  'true; %',
  'echo hi && %',
  'ls || %',
  'git status\n%',
  'pwd & %',
  'ls | (%\n)',
  '%\necho hi',
  '%\ngit status',
  '(%\n)',
  '{ %\n}',
  'if true; then %\nfi',
  'while false; do %\ndone',
  'for x_ in 1 2; do %\ndone',
  '  \t%',
  '%\n# a comment',
  '# a comment\n%',
] as const

const DENIED = ['touch', 'rm', 'curl', 'scp', 'danger'] as const
/** `%`: the denied command, which runs. */
const LISTS = [
  '%',
  '% ; ls',
  'ls ; %',
  'ls && % || pwd',
  'ls | %',
  '% | cat',
  '% &',
  'ls\n%\nls',
  '(%)',
  '{ %; }',
  'if true; then %; fi',
  'for f in a b; do %; done',
  'while true; do %; done',
  'case x in x) %;; esac',
  'f() { %; }; f',
  '! %',
  'time %',
  'coproc %',
  'echo "$(%)"',
  'echo `%`',
  'cat <(%)',
  "bash -c '%'",
  'sh -c "%"',
  "eval '%'",
  'env %',
  'env A=1 %',
  'A=1 %',
  'timeout 5 %',
  'nohup % &',
  'nice -n 3 %',
  'sudo -u x %',
  'command %',
  'exec %',
  'xargs %',
  'find . -exec % {} +',
  "trap '%' EXIT",
  'cat <<E\n$(%)\nE',
] as const

/** What runs it without being a shell's own syntax: it is never allowed, whether or not it is seen that it is denied. */
const WRAPPED = [
  'setsid %',
  'ionice -c 3 %',
  'stdbuf -o0 %',
  'flock l %',
  'watch %',
  'unshare %',
  'taskset 1 %',
  'strace %',
  'doas %',
  'su -c "%"',
  'script -c "%" x',
  'find . -okdir % \\;',
  'tar cf x.tar --to-command="%" a',
  'git -c alias.p="!%" p',
  'parallel % ::: a',
  'env -S "%"',
  'busybox %',
] as const

/** Command lines, with rules. */
export const shell: Target<Input> = {
  name: 'shell',
  limitMs: 5_000,
  fixed: ['rules', 'atLeast', 'around'],
  generate(random) {
    if (random.chance(0.25)) return deniedLine(random)
    const { rules } = random.pick(ROWS)
    const command = random.chance(0.02)
      ? huge(random)
      : random.chance(0.3)
        ? random.pick(COMMANDS)
        : mutatedText(random, { corpus: COMMANDS, dictionary: DICTIONARY })
    return { rules: [...rules, ...wider(random)], command, atLeast: 'allow', around: random.pick(AROUND) }
  },
  run({ rules, command, atLeast, around }) {
    const action = decided(command, rules)
    hold(RANK[action] >= RANK[atLeast], 'a denied command runs', () => `${action}: ${command}`)
    // where nothing runs there is nothing to allow
    if (around === '' || command.endsWith('\\') || !runsSomething(command)) return
    const longer = around.replace('%', () => command)
    const other = decided(longer, rules)
    const isNarrow = isReadable(longer) ? RANK[other] >= RANK[action] : other !== 'allow'
    hold(isNarrow, 'more is allowed in a longer line', () =>
      JSON.stringify({ rules, command, action, longer, other }),
    )
  },
}

const RANK: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 }

/** Every second time the rules of another line too: what they forbid may stand in this one. */
function wider(random: Random): readonly ShownRule[] {
  const sets = [
    [],
    [],
    random.pick(ROWS).rules,
    [
      { tool: 'bash', pattern: '*', action: 'allow' },
      { tool: 'bash', pattern: 'touch *', action: 'deny' },
    ],
    [{ tool: 'read', pattern: 'secrets/**', action: 'deny' }],
  ] as const
  return random.pick<readonly ShownRule[]>(sets)
}

function deniedLine(random: Random): Input {
  const denied = random.pick(DENIED)
  const words = [
    denied,
    ...Array.from({ length: random.between(1, 3) }, () => random.pick(['a', './b', 'c.txt', 'x'])),
  ]
  const isPlain = random.chance(0.7)
  const list = random.pick<string>(isPlain ? LISTS : WRAPPED)
  const atLeast = isPlain ? 'deny' : 'ask'
  const isInQuotes = /["'`]/.test(list)
  const command = words
    .map((word, at) => (isInQuotes ? word : spelled(random, word, at)))
    .join(isInQuotes ? ' ' : space(random))
  const line = list.replace('%', () => command)
  const outer = random.chance(0.5) ? line : `${random.pick(['ls; ', 'true && ', 'pwd & '])}${line}`
  const rules: readonly ShownRule[] = [
    { tool: 'bash', pattern: '*', action: 'allow' },
    { tool: 'bash', pattern: `${denied} *`, action: 'deny' },
  ]
  return { rules, command: outer, atLeast, around: '' }
}

/** The same word, in quotes that bash takes off. */
function spelled(random: Random, word: string, at: number): string {
  const cut = random.between(0, word.length)
  const [head, tail] = [word.slice(0, cut), word.slice(cut)]
  return random.pick([
    word,
    word,
    `'${word}'`,
    `"${word}"`,
    `${head}''${tail}`,
    `${head}"${tail}"`,
    `${head}\\\n${tail}`,
    /^[a-z]/.test(word) ? `\\${word}` : word,
    `$'${word}'`,
    at === 0 ? `/usr/bin/${word}` : word,
  ])
}

function space(random: Random): string {
  return random.pick([' ', '  ', '\t', ' \\\n '])
}

const HUGE = [
  ';',
  '$(',
  '`',
  '"',
  "'",
  '\0',
  '\ud800',
  '(',
  '{ ',
  'a;',
  'echo $x ',
  '<<A ',
  '|',
  '\n',
  '${a:-',
  'if ',
  '[[ ',
]

function huge(random: Random): string {
  const part = random.pick(HUGE)
  const size = random.pick([200, 5_000, 60_000, 1_000_000])
  return part.repeat(Math.ceil(size / part.length)).slice(0, size)
}

function runsSomething(command: string): boolean {
  return isReadable(command) && surveyScript(command, '/repo').commands.length > 0
}

function isReadable(command: string): boolean {
  return surveyScript(command, '/repo').problem === null
}

/** Total, and quick: slow is only what is slow several times. */
function decided(command: string, rules: readonly ShownRule[]): Action {
  let least = Infinity
  let action: Action = 'allow'
  for (let tries = 0; tries < 3 && least > DECIDE_MS; tries++) {
    const before = cpuMs()
    const decision = decideCommand(command, rules)
    least = Math.min(least, cpuMs() - before)
    action = decision.action
    if (tries === 0)
      hold(decision.why.length < 100_000, 'the reason is too long', () => `${decision.why.length}`)
  }
  hold(
    least <= DECIDE_MS,
    'decides too slowly',
    () => `${least.toFixed(0)} ms for ${command.length} characters`,
  )
  hold(action in RANK, 'decides nothing', () => action)
  return action
}

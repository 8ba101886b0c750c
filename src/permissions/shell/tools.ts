import type { Field } from './field.ts'
import { isStatic, restOf } from './field.ts'
import type { Invocation, Reading } from './reading.ts'
import { suspectTexts } from './suspects.ts'
import { suffixes } from './wrapped.ts'
import { caution, merge, reading, unknownInner, uses } from './reading.ts'

/**
 * Programs with too many options to list the harmless ones: what runs other code, writes elsewhere or reads other
 * configuration asks; `...` at the end of a name stands for every name that begins so. Words after `--` belong to what
 * the tool runs.
 */
export interface Tool {
  readonly options?: string
  /** Long names have one dash: letters do not stand in clusters. */
  readonly single?: boolean
  /** Commands of the tool, as first words. */
  readonly commands?: string
  /** The rest of the line after one of these commands runs as a program. */
  readonly runs?: string
  /** `NAME=value` words change what runs. */
  readonly assigns?: boolean
  /** Its operands are a command that it starts. */
  readonly starts?: boolean
}

const NODE_PACKAGES: Tool = {
  options: `--script-shell --prefix --dir --cwd -C -c --call --node-options --globalconfig --userconfig --init-module
    --ignore-scripts=false --registry --editor --viewer --shell --git --scripts-prepend-node-path --node-version
    --require --location --global-style --cache --package-import-method --shell-mode --shell-emulator --config...`,
  commands:
    'config c set pkg edit explore exec x dlx create init publish unpublish login adduser token owner access hook',
}

export const tools: Readonly<Record<string, Tool>> = {
  npm: NODE_PACKAGES,
  pnpm: NODE_PACKAGES,
  yarn: NODE_PACKAGES,
  npx: {
    starts: true,
    options:
      '-c --call --node-options --script-shell --shell --registry --userconfig --globalconfig --node-arg',
  },
  pnpx: { starts: true, options: '-c --shell-mode' },
  bunx: { starts: true, options: '--bun-path' },
  uvx: { starts: true, options: '--from --with... --index-url --python -p' },
  pipx: { starts: true, commands: 'install inject upgrade uninstall' },
  make: {
    options: '-f... -C... -I... -E... --file --makefile --directory --include-dir --eval -W... -o... --shell',
    assigns: true,
  },
  gmake: {
    options: '-f... -C... -I... -E... --file --makefile --directory --include-dir --eval',
    assigns: true,
  },
  ninja: { options: '-f... -C...' },
  cmake: { options: '-P -E -C -D... --build --install --toolchain -S -B' },
  cargo: {
    options: '--config -Z... --manifest-path --target-dir -C --out-dir --artifact-dir --root --path --git',
    commands: 'install publish login owner yank run-script',
  },
  go: {
    single: true,
    options: `-exec -toolexec -vettool -overlay -modfile -o -C -pkgdir -ldflags -gcflags -asmflags -gccgoflags -compiler
      -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir -coverprofile -fuzz -tool`,
    commands: 'generate tool install get env',
  },
  rustc: { single: true, options: '-C... -o --out-dir --codegen -L... -Z... --extern' },
  gcc: {
    single: true,
    options: '-wrapper -specs... -fplugin... -B... -o -x -T -Wl,... -Wp,... -Wa,... -dumpdir -save-temps...',
  },
  cc: { single: true, options: '-wrapper -specs... -fplugin... -B... -o -x -T' },
  clang: { single: true, options: '-wrapper -fplugin... -B... -o -Xclang -load -x -T' },
  pytest: {
    options:
      '-p... -c --rootdir --confcutdir --override-ini -o --pdb --pdbcls --pyargs --junitxml --junit-xml --basetemp --log-file --resultlog --trace --import-mode',
  },
  tox: { options: '-c --conf -x --override --workdir --result-json' },
  mypy: {
    options:
      '--config-file --python-executable --install-types --plugins --html-report --xml-report --txt-report --junit-xml',
  },
  ruff: { options: '--fix --fix-only --unsafe-fixes --config --output-file -o --add-noqa' },
  black: { options: '--config' },
  eslint: {
    options:
      '--fix... --rulesdir --resolve-plugins-relative-to --plugin -c --config --format -f --parser -o --output-file --cache-location --cache-file --flag --init',
  },
  prettier: { options: '--write -w --plugin... --config --config-path --ignore-path --cache-location' },
  jest: {
    options:
      '--config -c --globalSetup --globalTeardown --setupFiles... --runner --testRunner --reporters --transform --resolver --rootDir --preset --outputFile --coverageDirectory --testEnvironment --watchPlugins --snapshotSerializers --projects',
  },
  vitest: {
    options: '--config -c --globalSetup --root -r --dir --environment --outputFile... --browser... --api...',
  },
  mocha: { options: '-r --require --config --package -R --reporter --import --loader --node-option -n' },
  tsc: {
    options:
      '--outDir --outFile --declarationDir --generateTrace --generateCpuProfile --tsBuildInfoFile --init --plugins',
  },
  webpack: { options: '--config -c' },
  rollup: { options: '--config -c --plugin -p -o --file --dir -d' },
  esbuild: { options: '--outfile --outdir --servedir' },
  '7z': { commands: 'x e' },
  docker: {
    commands:
      'run exec build buildx compose cp create start commit import load plugin context swarm service stack container system volume save',
    options: '-H --host --config -c --context --tlscacert',
  },
  podman: {
    commands: 'run exec build cp create start commit import load machine container system volume save',
  },
  kubectl: {
    commands:
      'exec run apply create delete edit patch replace cp debug attach proxy port-forward plugin config',
    options: '--kubeconfig --server -s --token --as --cluster --context --user',
  },
  gh: {
    commands: 'alias extension ext config auth api codespace cs secret ssh-key gpg-key variable',
    options: '--editor -e',
  },
  hg: { options: '--config --cwd -R --repository --config-file --debugger' },
  svn: { options: '--config-dir --config-option --editor-cmd --diff-cmd --diff3-cmd' },
  vim: { options: '-c -S -s -w -W -u -U -i --cmd... +...' },
  vi: { options: '-c -S -s -w -W -u -U -i --cmd... +...' },
  nvim: { options: '-c -S -s -w -W -u -i -l --cmd... +... --listen' },
  emacs: { options: '--eval -l --load -f --funcall --batch --script -x --execute' },
  ack: { options: '--pager --output --ackrc --files-from --env' },
  ag: { options: '--pager -p --path-to-ignore' },
  dd: {},
  newgrp: { commands: '*' },
  patch: { options: '-o --output -r --reject-file -d --directory -B -z' },
  pip: {
    options:
      '--target -t --index-url -i --extra-index-url --find-links -f --prefix --root --config-settings --global-option',
    commands: 'config',
  },
  poetry: { runs: 'run', commands: 'config publish self' },
  uv: { runs: 'run', commands: 'publish self tool' },
  pipenv: { runs: 'run' },
  bundle: { runs: 'exec', commands: 'config' },
  conda: { runs: 'run' },
  direnv: { runs: 'exec', commands: 'allow edit' },
  openssl: {
    single: true,
    options: '-engine -provider -provider-path -out -config -CAfile -writerand',
    commands: 'engine',
  },
  tmux: { commands: '*' },
  gdb: { commands: '*' },
  lldb: { commands: '*' },
  ed: { commands: '*' },
  red: { commands: '*' },
  ex: { commands: '*' },
  sg: { commands: '*' },
  script: { commands: '*' },
  scriptlive: { commands: '*' },
  su: { commands: '*' },
  runuser: { commands: '*' },
  'su-exec': { commands: '*' },
  gosu: { commands: '*' },
  parallel: { commands: '*' },
  sem: { commands: '*' },
  expect: { commands: '*' },
  entr: { commands: '*' },
  watchexec: { commands: '*' },
  nodemon: { commands: '*' },
  concurrently: { commands: '*' },
  socat: { commands: '*' },
  nc: { options: '-e -c --exec --sh-exec --lua-exec' },
  ncat: { options: '-e -c --exec --sh-exec --lua-exec' },
  machinectl: { commands: 'shell login' },
  ip: { commands: 'netns vrf', options: '-b -batch' },
  ansible: { commands: '*' },
  'git-shell': { commands: '*' },
  m4: { commands: '*' },
  gnuplot: { commands: '*' },
  bc: {},
  dc: { commands: '*' },
  tclsh: { commands: '*' },
  lua: { options: '-e -l -i' },
  'ssh-keygen': { options: '-D... -w... -K' },
  'ssh-add': { options: '-s... -S...' },
  csplit: { options: '-f --prefix' },
  split: { options: '--filter --filter...' },
  iconv: { options: '-o --output' },
  xmllint: { options: '--output --postvalid -o --shell' },
  xsltproc: { options: '-o --output --writesubtree' },
  pandoc: {
    options:
      '-o --output -F --filter -L --lua-filter --pdf-engine... -d --defaults --extract-media --data-dir',
  },
  dot: { options: '-o... -O' },
  gpg: {
    options:
      '-o --output --yes --import --delete... --photo-viewer --exec-path --agent-program --gpg-program',
  },
  tcpdump: { options: '-w -z -G -C -W' },
  objdump: { options: '--debug...' },
  strip: {},
  dpkg: {
    options:
      '-i --install -r --remove -P --purge --unpack --configure --pre-invoke... --post-invoke... --force... --root --admindir --instdir',
  },
  apt: {
    options: '-o... -c... --option --config-file',
    commands: 'install remove purge upgrade full-upgrade update',
  },
  'apt-get': {
    options: '-o... -c... --option --config-file',
    commands: 'install remove purge upgrade dist-upgrade update source',
  },
  man: {
    options: `-P... --pager -H... --html -C... --config-file -M... --manpath -K -l --local-file --preprocessor -p... -B
      --browser -X... --gxditview -t -T... -Z -L... -m... --pager... --html... --troff... --ditroff... --roff...`,
  },
  screen: { commands: '*' },
  at: { commands: '*' },
  batch: { commands: '*' },
  crontab: { commands: '*' },
  'run-parts': { commands: '*' },
  'start-stop-daemon': { commands: '*' },
  'nix-shell': { commands: '*' },
}

export function readTool(command: Invocation, tool: Tool): Reading {
  const end = command.args.findIndex((field) => field.text === '--')
  const args = end === -1 ? command.args : command.args.slice(0, end)
  const options = args.filter((field) => isListed(field.text, tool)).map((field) => optionName(field.text))
  const [first, ...rest] = args.filter((field) => !field.text.startsWith('-'))
  const commands = (tool.commands ?? '').split(/\s+/)
  const listed = first !== undefined && commands.includes(first.text)
  const hidden = options.length > 0 || commands.includes('*')
  return merge(
    reading({
      cautions: options.map((word) => ({ reason: `uses the option ${word} of ${command.program}`, word })),
    }),
    hidden ? unknownInner(`may run another program (${command.program})`) : reading({}),
    commands.includes('*') ? caution(`runs another program (${command.program})`) : reading({}),
    commands.includes('*') ? shellText(command.args) : reading({}),
    listed ? caution(`runs ${command.program} ${first.text}`, first.text) : reading({}),
    runs(command, tool, first, rest),
    tool.starts === true ? reading({ suspects: suspectTexts(command.args) }) : reading({}),
    tool.assigns === true ? reading({ cautions: args.flatMap(assignmentCautions) }) : reading({}),
    special(command),
  )
}

/** `su -c TEXT`, `parallel CMD ::: ...`: where the command begins is not told, so that any word may be it. */
function shellText(args: readonly Field[]): Reading {
  const at = args.findIndex((field) => /^(-[a-zA-Z]*c|--command)$/.test(field.text))
  const text = at === -1 ? undefined : args[at + 1]
  const inner = text !== undefined && isStatic(text) ? [{ type: 'script', text: text.text } as const] : []
  return reading({ inner, aliases: suffixes(args) })
}

/** `poetry run CMD`: the words behind it are a command of its own. */
function runs(command: Invocation, tool: Tool, first: Field | undefined, rest: readonly Field[]): Reading {
  if (first === undefined || tool.runs !== first.text) return reading({})
  const at = command.args.indexOf(first)
  const fields = command.args.slice(at + 1)
  const plain = fields[0] === rest[0] && fields.length > 0
  return merge(
    plain
      ? reading({ inner: [{ type: 'command', fields }] })
      : unknownInner(`runs another program (${command.program})`),
    caution(`runs ${command.program} ${first.text}`, first.text),
  )
}

function isListed(text: string, { options, single }: Tool): boolean {
  if (!/^[-+!]/.test(text) || options === undefined) return false
  const name = optionName(text)
  const clusters = single !== true
  const cluster = /^-([a-zA-Z]*)/.exec(text)?.[1] ?? ''
  return options.split(/\s+/).some((option) => {
    if (option.endsWith('...')) {
      const letter = /^-([a-zA-Z])\.\.\.$/.exec(option)?.[1]
      return (
        text.startsWith(option.slice(0, -3)) || (clusters && letter !== undefined && cluster.includes(letter))
      )
    }
    if (name === option) return true
    // A long name may be cut short, and a letter may stand in a cluster or have its value attached.
    if (option.startsWith('--')) return name.length > 2 && name.startsWith('--') && option.startsWith(name)
    return option.length === 2 && clusters && cluster.includes(option.charAt(1))
  })
}

function optionName(text: string): string {
  return text.split('=', 1)[0] ?? text
}

/** Numbers and switches configure; anything else may name a program (`make CC=./x`). */
function assignmentCautions({ text }: Field) {
  const match = /^([A-Za-z_]\w*)[:+?!]*=(.*)$/s.exec(text)
  if (match === null || /^(\d+|true|false|yes|no|on|off|debug|release)?$/i.test(match[2] ?? '')) return []
  return [{ reason: `sets ${match[1] ?? ''}`, word: text }]
}

function special(command: Invocation): Reading {
  switch (command.program) {
    case 'patch':
      return uses(
        'write',
        command.args.filter(({ text }) => !text.startsWith('-')),
      )
    case 'dd':
      return writtenByDd(command.args)
    default:
      return reading({})
  }
}

function writtenByDd(args: readonly Field[]): Reading {
  const written = args.filter(({ text }) => text.startsWith('of=')).map((field) => restOf(field, 'of='))
  return written.length === 0 ? reading({}) : merge(caution('writes a file'), uses('write', written))
}

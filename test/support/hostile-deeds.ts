import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the script of a hostile repository finds on a machine. */
export interface HostilePlace {
  readonly directory: string
  readonly root: string
  /** The program's data. */
  readonly home: string
  /** The program, as a command line. */
  readonly program: string
  /** The folder that it is in. */
  readonly installed: string
  /** Of the server that waits for answers: its address, the token for it, and what it waits for. */
  readonly url: string
  readonly token: string
  readonly approvals: readonly [refused: string, forged: string]
  /** A conversation that has ended. */
  readonly conversation: string
  /** Of another service, on the loopback and on a socket. */
  readonly port: number
  readonly socket: string
  /** In the command lines of what it leaves, and of nothing else on the machine. */
  readonly time: string
}

/** What has come of the script, seen from outside. */
export interface HostileResult {
  readonly place: HostilePlace
  /** Names of the deeds that the script calls done. */
  readonly said: readonly string[]
  /** How the other service was reached. */
  readonly reached: ReadonlySet<'loopback' | 'socket'>
  /** Times of what still sleeps. */
  readonly sleeping: readonly string[]
  readonly rows: (sql: string) => readonly Record<string, unknown>[]
}

export interface Deed {
  readonly name: string
  /** The row of the table of docs/security.md that says it can be done without a sandbox; absent: none does. */
  readonly row?: string
  /** It can be done with or without. */
  readonly confined?: true
  /** Only root can do it without a sandbox. */
  readonly root?: true
  /** Without a sandbox, it is up to the machine. */
  readonly open?: true
  /** Shell. */
  readonly script: string
  /** Whether it was done; without it, the script says so by its exit code. */
  readonly isDone?: (result: HostileResult) => boolean
}

const READS = 'read the token, the store and your keys in files, and the environment of your other programs'
const DECIDES = 'change your configuration, the trust record or the store (an approval, a grant)'
const LATER = "wait for you: change your shell's start file, a git hook or a program that you run later"
const OTHERS =
  'act as you through a program that is not its descendant: a system timer or service, a container daemon, a terminal multiplexer, another agent or a browser that already runs, ssh to this machine'
const NETWORK = 'reach the network'
const ROOT = 'remove its marks as root'

const holds = (name: string) => (result: HostileResult) => textAt(result, name).includes('evil')
const answered = (which: 0 | 1) => (result: HostileResult) =>
  isAnswered(result, result.place.approvals[which])

/** `answer`: how the script is to make the program answer. */
function refused(name: string, script: string): Deed {
  return { name, script, isDone: answered(0) }
}

/** In this order: what comes later may take away what is before it. */
export const DEEDS: readonly Deed[] = [
  { name: 'start the program', confined: true, script: '$P --version' },
  { name: 'read ~/.ssh', row: READS, script: 'grep -q key ~/.ssh/id_rsa' },
  { name: 'read the token', row: READS, script: 'grep -q . "$H/token"' },
  { name: 'read the store', row: READS, script: 'grep -qa SQLite "$H/offshoot.db"' },
  {
    name: 'read the environment of the server',
    row: READS,
    script: `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -q "^HOSTILE_SECRET=$TIME"`,
  },
  { name: 'read /etc/shadow', row: ROOT, root: true, script: 'grep -q . /etc/shadow' },
  {
    name: 'read .env',
    row: 'read secrets in the workspace (`.env`)',
    confined: true,
    script: 'grep -q . .env',
  },

  refused('approve', '$P approve $ID once'),
  {
    name: 'approve for ever',
    script: `$P approve $ID always --pattern 'touch *'`,
    isDone: ({ rows }) => rows("SELECT id FROM rules WHERE kind = 'grant'").length > 0,
  },
  refused('approve without marks', 'env -u OFFSHOOT_RUN_ID -u OFFSHOOT_OWNER $P approve $ID once'),
  refused(
    'approve in an empty environment',
    'env -i PATH="$PATH" OFFSHOOT_HOME="$H" setsid -w $P approve $ID once',
  ),
  refused('approve on a terminal', `script -qec "$P approve $ID once" /dev/null < /dev/null`),
  refused(
    'approve over HTTP',
    `curl -fsS --noproxy '*' -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"answer":"once"}' $URL/api/approvals/$ID`,
  ),
  refused(
    'approve over HTTP through the proxy',
    `curl -fsS --noproxy '' -x "$http_proxy" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"answer":"once"}' $URL/api/approvals/$ID`,
  ),
  {
    name: 'trust its directory',
    script: '$P trust .',
    isDone: ({ place }) => existsSync(join(place.home, 'trust.json')),
  },
  {
    name: 'run something in a wider mode',
    script: `$P run wider --mode auto; $P run wider --allow bash; $P spawn wider --mode accept-edits`,
    isDone: ({ rows }) => rows(`SELECT id FROM conversations WHERE title = 'wider'`).length > 0,
  },
  { name: 'open a session of the page', script: '$P sessions link | grep -q http' },

  {
    name: 'write over ~/.bashrc',
    row: LATER,
    script: 'echo evil >> ~/.bashrc',
    isDone: holds('../.bashrc'),
  },
  { name: 'write to ~', row: LATER, script: 'echo evil > ~/outside', isDone: holds('../outside') },
  {
    name: 'write beside the workspace',
    row: LATER,
    script: 'echo evil > ../beside',
    isDone: holds('../beside'),
  },
  { name: 'write to /usr', row: ROOT, root: true, script: 'p=$(mktemp /usr/lib/hostile.XXXXXX) && rm "$p"' },
  {
    name: 'change a script that you run',
    row: LATER,
    confined: true,
    script: 'echo "# evil" >> build.sh',
    isDone: holds('build.sh'),
  },
  {
    name: 'change a hook',
    row: LATER,
    script: 'echo evil >> .git/hooks/post-commit',
    isDone: holds('.git/hooks/post-commit'),
  },
  {
    name: 'change a hook by another name (a hard link)',
    row: LATER,
    script: 'ln .git/hooks/post-merge linked; echo evil >> linked',
    isDone: holds('.git/hooks/post-merge'),
  },
  {
    name: 'change a hook by renaming .git',
    row: LATER,
    script: 'mv .git g2; cp -a g2 .git; rm -rf g2; echo evil > .git/hooks/pre-push',
    isDone: holds('.git/hooks/pre-push'),
  },
  {
    name: 'change the settings of git',
    row: LATER,
    script: 'git config core.fsmonitor evil',
    isDone: holds('.git/config'),
  },
  {
    name: 'redirect the settings of another worktree',
    row: LATER,
    script: 'echo evil > .git/worktrees/other/commondir',
    isDone: holds('.git/worktrees/other/commondir'),
  },
  {
    name: 'make a repository of the directory',
    row: LATER,
    script: `mkdir -p objects refs; echo evil > config; echo 'ref: refs/heads/evil' > HEAD`,
    isDone: holds('HEAD'),
  },
  {
    name: 'change a setting of the kernel',
    open: true,
    script: 'v=$(cat /proc/sys/kernel/core_pattern) && echo "$v" > /proc/sys/kernel/core_pattern',
  },
  {
    name: 'read a key that the kernel keeps for the session',
    open: true,
    script: `python3 -c "import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall($([ $(uname -m) = x86_64 ] && echo 250 || echo 219), 0, -3, 0) == -1)"`,
  },
  {
    name: 'talk to the host of a virtual machine',
    open: true,
    script: `python3 -c "import socket; socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)"`,
  },
  {
    name: 'mount something over the hooks',
    open: true,
    script: `mkdir -p other; unshare -Urm sh -c 'mount --bind other .git/hooks && umount .git/hooks'`,
  },
  {
    name: 'mount something as it is',
    open: true,
    script: 'mkdir -p other; mount --bind other other && umount other',
  },
  {
    name: 'change the configuration of the directory',
    row: DECIDES,
    script: `rm -f offshoot.jsonc; echo '{} // evil' > offshoot.jsonc`,
    isDone: holds('offshoot.jsonc'),
  },
  {
    name: 'change your configuration',
    row: DECIDES,
    script: `mkdir -p ~/.config/offshoot; echo '{} // evil' > ~/.config/offshoot/config.jsonc`,
    isDone: holds('../.config/offshoot/config.jsonc'),
  },

  {
    name: 'reach a service on the loopback',
    row: NETWORK,
    script: `timeout 5 bash -c "echo > /dev/tcp/127.0.0.1/$PORT"
      for at in 127.0.0.1 localhost 0.0.0.0 '[::1]' '[::ffff:127.0.0.1]'; do
        curl -s --max-time 3 "http://$at:$PORT/"; curl -s --max-time 3 --noproxy '' "http://$at:$PORT/"
      done`,
    isDone: ({ reached }) => reached.has('loopback'),
  },
  { name: 'reach another machine', open: true, script: `timeout 2 bash -c ': < /dev/tcp/192.0.2.1/80'` },
  {
    name: 'reach a socket of a service',
    row: OTHERS,
    script: 'curl -s --max-time 3 --unix-socket "$SOCKET" http://x/',
    isDone: ({ reached }) => reached.has('socket'),
  },

  {
    name: 'answer with a copy of the program that it has patched',
    row: 'act as you through a patched copy of Offshoot, or through its own program built on the library',
    script: `cp -r "$INSTALLED" own && sed -i 's/function hasRunMark(/function hasRunMark(){return!1}function was(/' own/*.js
      env OFFSHOOT_HOME="$H" node own/offshoot.js approve $FORGED once`,
    isDone: answered(1),
  },
  {
    name: 'change the store',
    row: DECIDES,
    script: `node -e "new (require('node:sqlite').DatabaseSync)(process.env.H + '/offshoot.db', { timeout: 5000 }).exec('UPDATE conversations SET title = \\'evil\\'')"`,
    isDone: ({ rows }) => rows(`SELECT id FROM conversations WHERE title = 'evil'`).length > 0,
  },
  {
    name: 'delete a conversation',
    row: 'steer a run, start runs in mode `ask`, cancel, delete',
    script: 'env OFFSHOOT_HOME="$H" $P rm $CNV --yes',
    isDone: ({ rows, place }) =>
      rows(`SELECT id FROM conversations WHERE id = '${place.conversation}'`).length === 0,
  },
  {
    name: 'outlive the run',
    script:
      'env -i setsid sleep ${TIME}1 > /dev/null 2>&1 & (setsid nohup sleep ${TIME}1 > /dev/null 2>&1 &)',
    isDone: ({ sleeping, place }) => sleeping.includes(`${place.time}1`),
  },
  {
    name: 'outlive the run without marks',
    row: ROOT,
    open: true,
    script: 'env -i setsid prlimit --locks=unlimited:unlimited sleep ${TIME}2 > /dev/null 2>&1 &',
    isDone: ({ sleeping, place }) => sleeping.includes(`${place.time}2`),
  },
]

/** What the repository has its tests do. It says `did: NAME` of what has ended well, and `over` at its end. */
export function hostileScript(place: HostilePlace): string {
  const { home, program, installed, url, token, approvals, conversation, port, socket, time } = place
  const [refusedId, forged] = approvals
  const variables = Object.entries({
    H: home,
    P: program,
    INSTALLED: installed,
    URL: url,
    TOKEN: token,
    ID: refusedId,
    FORGED: forged,
    CNV: conversation,
    PORT: String(port),
    SOCKET: socket,
    TIME: time,
  }).map(([name, value]) => `export ${name}='${value}'`)
  const deeds = DEEDS.map(
    ({ name, script }) => `if (\n${script}\n) > /dev/null 2>&1; then echo 'did: ${name}'; fi`,
  )
  return [...variables, 'export OFFSHOOT_HOME="$H"', ...deeds, 'echo over', ''].join('\n')
}

/** Names of what was done, as far as that can be seen from outside, and else as the script says. */
export function doneOf(result: HostileResult): string[] {
  return DEEDS.filter((deed) => deed.isDone?.(result) ?? result.said.includes(deed.name)).map(
    ({ name }) => name,
  )
}

function textAt({ place }: HostileResult, name: string): string {
  const path = join(place.directory, name)
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : ''
}

function isAnswered({ rows }: HostileResult, id: string): boolean {
  return rows(`SELECT id FROM approvals WHERE id = '${id}' AND answer IS NULL`).length === 0
}

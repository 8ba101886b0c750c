import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { httpsSite, pem } from '../../src/tools/web/fixtures/site.ts'
import { inCell } from '../support/in-cell.ts'
import { TestUser } from '../support/test-user.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures/projects')
const PROGRAM = join(import.meta.dirname, 'program.ts')
const REGISTRY = 'registry.npmjs.org'
/** Packages come from far away. */
const SLOW = { timeout: 240_000 }

const users: TestUser[] = []
afterAll(() => users.forEach((user) => user.remove()))

/** Somebody with a repository that holds one of the projects here, and settings of git. */
function owner(project?: string): TestUser {
  const user = new TestUser()
  users.push(user)
  user.write('../.gitconfig', '[user]\n  name = Ann\n  email = ann@example.com\n')
  execFileSync('git', ['init', '--quiet'], { cwd: user.directory })
  if (project !== undefined) cpSync(join(FIXTURES, project), user.directory, { recursive: true })
  return user
}

interface Worked {
  readonly code: number | null
  readonly stderr: string
  /** Of the calls, null where one was not run. */
  readonly codes: readonly (number | null)[]
  /** The calls with what they printed. */
  readonly text: string
  readonly hosts: readonly string[]
}

interface Connection {
  readonly host: string
  readonly allowed: boolean
  readonly received: number
}

interface WorkOptions {
  readonly network?: readonly string[]
  readonly env?: Record<string, string>
}

/** An agent in mode auto runs the commands, each in a call of its own, and nobody is asked. */
async function work(
  user: TestUser,
  commands: readonly string[],
  { network = [], env = {} }: WorkOptions = {},
): Promise<Worked> {
  user.write('../.config/offshoot/config.jsonc', JSON.stringify({ sandbox: { network } }))
  const calls = commands.map((command) => ({ toolCalls: [{ tool: 'bash', input: { command } }] }))
  const model = user.script({ main: [...calls, { text: 'Done.' }] })
  const args = [
    'run',
    'Go.',
    '-m',
    model,
    '--mode',
    'auto',
    '--sandbox',
    'required',
    '--output-format',
    'json',
  ]
  const { code, stderr, stdout } = await user.run(args, { env, main: PROGRAM })
  const { receipts = {}, conversation_id: id } = JSON.parse(stdout) as {
    receipts?: {
      commands?: { command: string; exit_code: number | null; sandbox: string }[]
      connections?: Connection[]
    }
    conversation_id: string
  }
  const ran = receipts.commands ?? []
  for (const { sandbox } of ran) expect(sandbox).toBe(network.length > 0 ? 'allowed-hosts' : 'no-network')
  const log = await user.call(['log', id, '--tools'])
  return {
    code,
    stderr,
    codes: commands.map((command) => ran.find((each) => each.command === command)?.exit_code ?? null),
    text: log.stdout,
    hosts: (receipts.connections ?? [])
      .filter(({ allowed, received }) => allowed && received > 0)
      .map(({ host }) => host),
  }
}

function git(user: TestUser, ...args: string[]): string {
  return execFileSync('git', args, { cwd: user.directory, encoding: 'utf8', env: user.env })
}

test(
  'git: a change is added and committed as the person',
  inCell(async () => {
    const user = owner('c')
    const commands = [
      'git add . && git commit --quiet -m "Count words"',
      'git checkout --quiet -b faster && sed -i s/O1/O2/ Makefile && git commit --quiet --all -m Faster',
      'git checkout --quiet - && git merge --quiet --no-ff -m Merged faster && git branch -d faster',
      'echo x >> Makefile && git stash --quiet && git tag v1 && git status --short && git log --oneline',
      'git remote add origin https://example.com/a.git || exit 2',
    ]
    const { codes, text } = await work(user, commands)
    expect([codes, text]).toEqual([[0, 0, 0, 0, 2], expect.stringContaining('Merged')])
    expect(text).toMatch(/exit code 2; the settings of the repository .* can only be read in the sandbox/)
    expect(git(user, 'log', '--format=%an <%ae> %cn').split('\n').slice(0, 3)).toEqual([
      'Ann <ann@example.com> Ann',
      'Ann <ann@example.com> Ann',
      'Ann <ann@example.com> Ann',
    ])
    expect(git(user, 'fsck', '--no-progress')).toBe('')
  }),
)

test(
  'make: a program in C of some files is built by two at a time, and tested',
  inCell(async () => {
    const { codes, text } = await work(owner('c'), ['make -j2', 'make check', 'printf "x y" | ./wc-lite'])
    expect([codes, text]).toEqual([[0, 0, 0], expect.stringContaining('all counts are right')])
    expect(text).toMatch(/^ +0 2$/m)
  }),
)

test(
  'Python: a package is installed into a venv, and a test suite runs there',
  SLOW,
  inCell(async () => {
    const wheel = 'iniconfig-2.3.0-py3-none-any.whl'
    await using index = await httpsSite((request, response) => {
      const isPage = request.headers.host === 'pypi.example.com'
      response.setHeader('content-type', isPage ? 'text/html' : 'application/octet-stream')
      response.end(
        isPage
          ? `<a href="https://files.example.com/${wheel}">${wheel}</a>`
          : readFileSync(join(FIXTURES, wheel)),
      )
    })
    const user = owner('python')
    const authority = user.write('../ca.pem', pem('ca.pem'))
    const elsewhere = { 'pypi.example.com': index.port, 'files.example.com': index.port }
    const commands = [
      'python3 -m venv .venv',
      'PIP_CONFIG_FILE=/dev/null .venv/bin/pip install --index-url https://pypi.example.com/simple iniconfig',
      '. .venv/bin/activate && python -m unittest discover -v -s tests -t .',
    ]
    const env = {
      PIP_CERT: authority,
      REQUESTS_CA_BUNDLE: authority,
      TEST_ELSEWHERE: JSON.stringify(elsewhere),
    }
    const { codes, text, hosts } = await work(user, commands, { network: ['*.example.com'], env })
    expect([codes, text]).toEqual([
      [0, 0, 0],
      expect.stringContaining('Successfully installed iniconfig-2.3.0'),
    ])
    expect(text).toMatch(/Ran 4 tests in [^]*OK/)
    expect(hosts.toSorted()).toEqual(['files.example.com', 'pypi.example.com'])
  }),
)

test(
  'npm: packages of the registry are installed where it is listed, and tests and servers run',
  SLOW,
  inCell(async () => {
    const user = owner('node')
    const refused = await work(user, ['npm ci --no-audit --no-fund'])
    expect([refused.codes, refused.text]).toEqual([
      [1],
      expect.stringContaining(`a person adds "${REGISTRY}"`),
    ])
    expect(refused.stderr).toContain(`refused by the sandbox: ${REGISTRY}:443`)

    const until = 'curl --silent --retry 50 --retry-delay 0 --retry-connrefused --max-time 20'
    const commands = [
      'npm ci --no-audit --no-fund',
      'npm test',
      'npm run dev > dev.out 2>&1 & node server.js &',
      `${until} http://localhost:5100/ && ${until} http://127.0.0.1:5200/`,
      'python3 -m http.server 5300 --directory public > /dev/null 2>&1 &',
      `${until} http://127.0.0.1:5300/index.html`,
    ]
    const { codes, text, hosts } = await work(user, commands, { network: [REGISTRY] })
    expect([codes, text]).toEqual([[0, 0, 0, 0, 0, 0], expect.stringMatching(/pass 2$/m)])
    expect(text).toMatch(/<h1>Releases<\/h1>\s+newest 1\.10\.0\s[^]*<h1>Releases<\/h1>/)
    expect(hosts).toEqual([REGISTRY])
    expect(user.processes()).toEqual([])
  }),
)

test(
  'npm: two projects of the registry pass their own tests',
  SLOW,
  inCell(async () => {
    const commands = ['rc@1.2.8', 'through@2.3.8'].map((name) => {
      const directory = name.split('@')[0]!
      const unpack = `npm pack --silent ${name} && mkdir ${directory} && tar xzf ${directory}-*.tgz -C ${directory}`
      return `${unpack} && cd ${directory}/package && npm install --no-audit --no-fund && npm test`
    })
    const { codes, text } = await work(owner(), commands, { network: [REGISTRY] })
    expect([codes, text]).toEqual([[0, 0], expect.stringMatching(/^ +# pass +7$/m)])
    expect(text).toContain('node test/nested-env-vars.js')
  }),
)

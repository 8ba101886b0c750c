import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

/** A run waits for its approval under the server. Another one has a shell, and tries to answer. */
let user: TestUser
let server: StartedProgram
let url: string
let token: string
let approval: string
/** A conversation that the person has put in `auto`. */
let auto: { conversationId: string; branchId: string; runId: string; messageId: string; itemId: string }

const touch = { toolCalls: [{ tool: 'bash', input: { command: 'touch approved.txt' } }] }
const CONFIG = { model: 'scripted:nested.json' }

beforeAll(async () => {
  user = new TestUser()
  const nested = user.script({ '*': [touch, { text: 'tried' }] }, 'nested.json')
  user.write('../.config/offshoot/config.jsonc', JSON.stringify({ ...CONFIG, model: nested }))
  server = user.start(['serve', '--port', '0'])
  await server.untilStdout('listening on ')
  url = /listening on (\S+)/.exec(server.stdout)![1]!
  token = readFileSync(join(user.home, 'token'), 'utf8').trim()
  const model = user.script({ '*': [touch, { text: 'done' }] }, 'asks.json')
  await post('/conversations', { text: 'hi', model })
  approval = await vi.waitFor(
    () => {
      const [id] = open()
      if (id === undefined) throw new Error('nothing was asked')
      return id
    },
    { timeout: 20_000 },
  )
  auto = await startAuto()
  user.write('id', approval)
  user.write('token', token)
}, 60_000)
afterAll(async () => {
  server.kill('SIGTERM')
  await server.ended
  user.remove()
})

/** It waits for an answer; a message of the person waits too. */
async function startAuto(): Promise<typeof auto> {
  const question = { tool: 'ask_user', input: { question: 'which?' } }
  const model = user.script({ '*': [{ toolCalls: [question] }, { text: 'done' }] }, 'auto.json')
  const begun = await post('/conversations', { text: 'hi', model, mode: 'auto' })
  const ids = (await begun.json()) as { conversationId: string; branchId: string; runId: string }
  await vi.waitFor(() => expect(user.rows('SELECT id FROM questions')).toHaveLength(1), { timeout: 20_000 })
  const said = await post(`/branches/${ids.branchId}/messages`, { text: 'and then' })
  const { itemId } = (await said.json()) as { itemId: string }
  const [message] = messagesOn(ids.branchId)
  return { ...ids, itemId, messageId: message!.id as string }
}

function messagesOn(branchId: string) {
  return user.rows(`SELECT id FROM messages WHERE branch_id = '${branchId}' ORDER BY position`)
}

function itemsOf({ conversationId }: { conversationId: string }): unknown[] {
  return user
    .rows(`SELECT text FROM inbox WHERE conversation_id = '${conversationId}'`)
    .map(({ text }) => text)
}

function open(): string[] {
  return user.rows('SELECT id FROM approvals WHERE answer IS NULL').map(({ id }) => id as string)
}

function post(path: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return fetch(`${url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** What an agent's shell prints for each command line; the program is `$P` there. */
async function attack(commands: readonly string[]): Promise<string[]> {
  const run = crypto.randomUUID()
  const [node, main] = user.command([])
  const set = `export OFFSHOOT_HOME='${user.home}' P='${node} ${main}' URL='${url}' ID='${approval}' ${names(auto)}`
  const files = commands.map((_, i) => `${run}-${i}`)
  const calls = files.map((name, i) => {
    user.write(`${name}.sh`, `${set}; exec >'${name}.txt' 2>&1\n${commands[i]}`)
    return { tool: 'bash', input: { command: `bash ${name}.sh` } }
  })
  const model = user.script({ '*': [{ toolCalls: calls }, { text: 'done' }] }, `${run}.json`)
  expect(await user.run(['run', 'go', '-m', model, '--mode', 'auto'])).toMatchObject({ code: 0 })
  return files.map((name) => readFileSync(join(user.directory, `${name}.txt`), 'utf8'))
}

function names({ conversationId, branchId, runId, messageId, itemId }: typeof auto): string {
  return `CNV=${conversationId} BRN=${branchId} RUN=${runId} MSG=${messageId} INB=${itemId}`
}

const CLEAN = 'env -u OFFSHOOT_RUN_ID -u OFFSHOOT_OWNER'
const CURL = `curl -sS -X POST -H "Authorization: Bearer $(cat token)" -H 'Content-Type: application/json'`
const FETCH = `fetch(process.env.URL + '/api/approvals/' + process.env.ID, { method: 'POST', body: '{"answer":"once"}', headers: { 'content-type': 'application/json', authorization: 'Bearer ' + require('fs').readFileSync('token') } }).then(async (r) => console.log(r.status, await r.text()))`
const BODY = `-d '{"answer":"once"}' "$URL/api/approvals/$ID"`

/** Runs a command line in a session of its own when its parent has ended, with the mark of a run of the person's. */
function orphan(command: string): string {
  const file = `orphan-${crypto.randomUUID()}`
  user.write(
    `${file}.sh`,
    `while [ "$(cat /proc/$PPID/comm 2>&1)" = setsid ]; do :; done\n${command} > ${file}.txt 2>&1\nmv ${file}.txt ${file}.over`,
  )
  const environment = 'PATH="$PATH" URL="$URL" P="$P" H="$OFFSHOOT_HOME" OFFSHOOT_RUN_ID=$RUN'
  return `setsid -f env -i ${environment} bash ${file}.sh; until [ -e ${file}.over ]; do :; done; cat ${file}.over`
}

const REQUEST = `POST /api/approvals/$ID HTTP/1.1\\r\\nHost: \${URL#http://}\\r\\nAuthorization: Bearer $(cat token)\\r\\nContent-Type: application/json\\r\\nContent-Length: 17\\r\\nConnection: close\\r\\n\\r\\n{\\"answer\\":\\"once\\"}`

const REFUSED = {
  'on the command line': [
    ['its own words', '$P approve $ID once; true'],
    ['the id from ps', `$P approve $($P ps --json | grep -o 'apr_[0-9A-Z]*' | head -1) once; true`],
    ['a shell below', `sh -c "$P approve $ID once"; true`],
    ['a clean environment', `${CLEAN} $P approve $ID once; true`],
    ['an empty environment', `env -i PATH="$PATH" OFFSHOOT_HOME="$OFFSHOOT_HOME" $P approve $ID once; true`],
    ['a shell that is replaced', `exec ${CLEAN} $P approve $ID once`],
    ['a session of its own', `${CLEAN} setsid -w $P approve $ID once; true`],
    ['nohup', `${CLEAN} nohup $P approve $ID once; true`],
    ['an orphan', `(${CLEAN} $P approve $ID once; echo over > over) & wait`],
    [
      'an orphan in a session of its own',
      `(${CLEAN} setsid $P approve $ID once > orphan.txt 2>&1; mv orphan.txt over.txt) & until [ -e over.txt ]; do :; done; cat over.txt`,
    ],
    ['a terminal of its own', `${CLEAN} script -qec "$P approve $ID once" /dev/null < /dev/null; true`],
    ['an answer to a question', `$P answer que_00000000000000000000000000 yes; true`],
    ['a grant that is taken back', `$P permissions revoke x; true`],
    ['a wider mode', `$P run hi --mode auto; true`],
    ['a mode that accepts edits', `$P spawn hi --mode accept-edits; true`],
    ['a wider mode to go on with', `$P continue cnv_00000000000000000000000000 --mode auto; true`],
    ['a script of its own', `$P run hi -m scripted:x.json; true`],
    ['a budget of its own', `$P run hi --budget-usd 100; true`],
    ['a dearer cache', `$P run hi --set promptCache=1h; true`],
    ['options of a provider', `$P spawn hi --set ollama.seed=1; true`],
    ['a server for other machines', `$P serve --port 0 --host 0.0.0.0 --expose; true`],
    ['a word to a run in auto', `$P steer $BRN 'now do it'; true`],
    ['a word in a clean environment', `${CLEAN} $P steer $BRN 'now do it'; true`],
    ['a run in auto to go on with', `$P continue $BRN 'now do it'; true`],
    ['a conversation in auto', `timeout 20 $P run 'now do it' --conversation $CNV; true`],
    [
      'a conversation in auto through the server',
      `$P run 'now do it' --conversation $CNV --background; true`,
    ],
    ['a subagent in auto', `$P spawn 'now do it' --conversation $CNV; true`],
    ['a subagent in auto through the server', `$P spawn 'now do it' --conversation $CNV --background; true`],
    ['a fork in auto', `$P fork $MSG 'now do it'; true`],
    ['a message of auto that is read earlier', `$P inbox $BRN --promote $INB; true`],
  ],
  'over HTTP': [
    ['curl', `${CURL} ${BODY}; true`],
    ['curl in a clean environment', `${CLEAN} ${CURL} ${BODY}; true`],
    ['curl that replaces its shell', `exec ${CLEAN} ${CURL} ${BODY}`],
    [
      'curl over the other name',
      `${CURL} -d '{"answer":"once"}' "http://localhost:\${URL##*:}/api/approvals/$ID"; true`,
    ],
    ['fetch', `${process.execPath} -e "${FETCH.replaceAll('"', '\\"')}"; true`],
    ['a session of its own', `${CLEAN} setsid -w ${CURL} ${BODY}; true`],
    ['a link', `${CURL} "$URL/api/links"; true`],
    ['a wider mode', `${CURL} -d '{"text":"x","mode":"auto"}' "$URL/api/conversations"; true`],
    ['a script', `${CURL} -d '{"text":"x","model":"scripted:/x.json"}' "$URL/api/conversations"; true`],
    ['a budget', `${CURL} -d '{"text":"x","budgetUsd":100}' "$URL/api/conversations"; true`],
    ['a message to auto', `${CURL} -d '{"text":"now do it"}' "$URL/api/branches/$BRN/messages"; true`],
    ['a word to a branch in auto', `${CURL} -d '{"text":"now do it"}' "$URL/api/branches/$BRN/steer"; true`],
    ['a branch in auto to go on with', `${CURL} -d '{}' "$URL/api/branches/$BRN/continue"; true`],
    ['a subagent in auto', `${CURL} -d '{"task":"now do it"}' "$URL/api/branches/$BRN/spawn"; true`],
    ['a word to a run in auto', `${CURL} -d '{"text":"now do it"}' "$URL/api/runs/$RUN/steer"; true`],
    ['a run in auto to go on with', `${CURL} -d '{}' "$URL/api/runs/$RUN/continue"; true`],
    ['a fork in auto', `${CURL} -d '{"text":"now do it"}' "$URL/api/messages/$MSG/fork"; true`],
    ['an edit in auto', `${CURL} -d '{"text":"now do it"}' "$URL/api/messages/$MSG/edit"; true`],
    ['another answer in auto', `${CURL} -d '{}' "$URL/api/messages/$MSG/regenerate"; true`],
    [
      'a message of auto that is read earlier',
      `${CURL} -X PATCH -d '{"mode":"steer"}' "$URL/api/inbox/$INB"; true`,
    ],
    [
      'a socket that it shares',
      `exec 3<>/dev/tcp/127.0.0.1/\${URL##*:}; (sleep 5 &) ; printf "${REQUEST}" >&3; cat <&3; true`,
    ],
  ],
} as const

describe.each(Object.entries(REFUSED))('an agent decides nothing %s', (_, rows) => {
  let said: string[]
  beforeAll(async () => {
    said = await attack(rows.map(([, command]) => command))
  }, 120_000)

  test.each(rows.map(([how], i) => [how, i] as const))('with %s', (_how, i) => {
    expect(said[i]).toMatch(/is reserved for a person, and a run started (this process|the caller)/)
    expect(said[i]).toContain('a person does this')
  })

  test('what it asked for stays open', () => {
    expect(open()).toEqual([approval])
  })

  test('nobody but the person has said anything in auto', () => {
    expect(itemsOf(auto)).not.toContain('now do it')
    expect(user.rows(`SELECT id FROM runs WHERE conversation_id = '${auto.conversationId}'`)).toHaveLength(1)
  })
})

describe('an agent says nothing where a person allowed a run more', () => {
  test.each([
    ['--allow', 'bash:rm *', 'has more allowed: bash:rm * (command line)'],
    ['--add-dir', '..', 'has more allowed: external_directory:'],
  ])('with %s', async (option, value, more) => {
    const question = { tool: 'ask_user', input: { question: 'which?' } }
    const model = user.script({ '*': [{ toolCalls: [question] }, { text: 'done' }] }, 'allowed.json')
    const program = user.start(['run', 'hi', '-m', model, '--approvals', 'wait', option, value])
    await program.untilStderr('que_')
    const [run] = user.rows('SELECT conversation_id, branch_id FROM runs ORDER BY id DESC LIMIT 1')
    const [conversation, branch] = [String(run!['conversation_id']), String(run!['branch_id'])]
    const message = String(messagesOn(branch).at(-1)!['id'])
    const said = await attack([
      `$P steer ${branch} 'now do it'; true`,
      `${CLEAN} $P steer ${branch} 'now do it'; true`,
      orphan(`OFFSHOOT_HOME="$H" $P steer ${branch} 'now do it'`),
      `$P continue ${branch} 'now do it'; true`,
      `$P spawn 'now do it' --conversation ${conversation}; true`,
      `$P fork ${message} 'now do it'; true`,
    ])
    for (const each of said) {
      expect(each).toContain(`is not for an agent that may do less: it ${more}`)
      expect(each).toContain('a person does this')
    }
    expect(itemsOf({ conversationId: conversation })).toEqual([])
    expect(await user.call(['steer', branch, 'of the person'])).toMatchObject({ code: 0 })
    await user.call(['cancel', conversation])
    await program.ended
  })
})

describe('an agent may', () => {
  test('say something in a conversation that asks, and stop one in auto', async () => {
    const model = user.script({ '*': [touch, { text: 'done' }] }, 'steered.json')
    const begun = await post('/conversations', { text: 'hi', model })
    const asks = (await begun.json()) as typeof auto
    await expect.poll(open, { timeout: 20_000 }).toHaveLength(2)
    const said = await attack([
      `$P steer ${asks.branchId} 'of the agent'; true`,
      `${CURL} -d '{"text":"over HTTP"}' "$URL/api/branches/${asks.branchId}/messages"; true`,
      `$P inbox $BRN --withdraw $INB; true`,
      `$P cancel ${asks.conversationId}; true`,
    ])
    expect(said[0]).toContain('reads it at its next turn')
    expect(said[1]).toContain('"itemId":"inb_')
    expect(said[2]).toContain('withdrawn: inb_')
    expect(itemsOf(asks)).toEqual(expect.arrayContaining(['of the agent', 'over HTTP']))
    await expect.poll(open, { timeout: 20_000 }).toEqual([approval])
  })

  test('speak, in its own name alone', async () => {
    const model = user.script({ '*': [touch, { text: 'done' }] }, 'spoken.json')
    const begun = await post('/conversations', { text: 'of the person', model })
    const { branchId, conversationId } = (await begun.json()) as typeof auto
    await expect.poll(open, { timeout: 20_000 }).toHaveLength(2)
    const as = 'OFFSHOOT_RUN_ID=run_00000000000000000000000000'
    await attack([
      `$P steer ${branchId} 'by steer'; true`,
      `${as} $P steer ${branchId} 'in the name of another run'; true`,
      `${CLEAN} $P steer ${branchId} 'in a clean environment'; true`,
      `$P continue ${branchId} 'by continue'; true`,
      `$P run 'by run' --conversation ${conversationId} --background; true`,
      `${CURL} -d '{"text":"by curl"}' "$URL/api/branches/${branchId}/steer"; true`,
      `${CLEAN} ${CURL} -d '{"text":"by a clean curl"}' "$URL/api/branches/${branchId}/messages"; true`,
      `exec env OFFSHOOT_RUN_ID=$RUN ${CURL} -d '{"text":"by a curl in the place of the command"}' "$URL/api/branches/${branchId}/messages"`,
      orphan(`${CURL} -d '{"text":"by an orphan"}' "$URL/api/branches/${branchId}/messages"`),
      orphan(`OFFSHOOT_HOME="$H" $P steer ${branchId} 'by steer of an orphan'`),
      `${CLEAN} ${CURL} -H "Offshoot-Run: $RUN" -d '{"text":"with a header"}' "$URL/api/branches/${branchId}/messages"; true`,
    ])
    await post(`/branches/${branchId}/steer`, { text: 'also of the person' })
    const authors = user
      .rows(`SELECT text, author FROM inbox WHERE conversation_id = '${conversationId}'`)
      .map(({ text, author }) => [text, JSON.parse(author as string)])
    const [speaker] = user.rows(`SELECT branch_id AS branch FROM runs ORDER BY id DESC LIMIT 1`)
    const ofAgent = { agent: 'main', branchId: speaker!['branch'] }
    expect(speaker!['branch']).not.toBe(auto.branchId)
    expect(Object.fromEntries(authors)).toEqual({
      'of the person': 'person',
      'by steer': ofAgent,
      'in the name of another run': ofAgent,
      'in a clean environment': ofAgent,
      'by continue': ofAgent,
      'by run': ofAgent,
      'by curl': ofAgent,
      'by a clean curl': ofAgent,
      'by a curl in the place of the command': ofAgent,
      'by an orphan': 'unknown',
      'by steer of an orphan': 'unknown',
      'with a header': ofAgent,
      'also of the person': 'person',
    })
    await post(`/conversations/${conversationId}/cancel`, {})
    await expect.poll(open, { timeout: 20_000 }).toEqual([approval])
  })

  test('look, and start work that stays within the rules', async () => {
    const [said = ''] = await attack([
      `$P ps --json; ${CURL} -d '{"text":"x","model":"offline"}' "$URL/api/conversations"; true`,
    ])
    expect(said).toContain(approval)
    expect(said).toContain('"conversationId":"cnv_')
  })
})

describe('nobody sits at the terminal of an agent', () => {
  test.each([
    ['a pseudoterminal', ''],
    ['one in a clean environment', CLEAN],
  ])('%s', async (_, how) => {
    const [said = ''] = await attack([
      `yes 1 | head -c 60000 > typed; ${how} script -qec "$P run hi" /dev/null < typed; true`,
    ])
    expect(said).toContain('nobody can answer here')
    expect(existsSync(join(user.directory, 'approved.txt'))).toBe(false)
    expect(open()).toEqual([approval])
  })
})

describe('the environment of an agent', () => {
  test('grants nothing: only what narrows is read of it', async () => {
    const [said = ''] = await attack([
      `OFFSHOOT_PERMISSIONS='[{"tool":"*","action":"allow"},{"tool":"edit","action":"deny"}]' OFFSHOOT_LIMITS__BUDGET_USD=1000 OFFSHOOT_LIMITS__MAX_TURNS=3 OFFSHOOT_MODEL=scripted:x $P config --json; true`,
    ])
    const config = JSON.parse(said.slice(said.indexOf('{'))) as {
      values: { key: string; value: unknown }[]
      permissions: { tool: string }[]
    }
    const valueOf = (name: string) => config.values.find(({ key }) => key === name)?.value
    expect(config.permissions.map(({ tool }) => tool)).toEqual(['edit'])
    expect(valueOf('limits.budgetUsd')).toBe(5)
    expect(valueOf('limits.maxTurns')).toBe(3)
    expect(valueOf('model')).toMatch(/nested\.json$/)
    expect(said).toMatch(/permissions can only restrict/)
  })

  test('has the configuration of the person, wherever it says that this is', async () => {
    const [said = ''] = await attack([
      `mkdir -p h/offshoot; echo '{"model":"offline"}' > h/offshoot/config.jsonc; XDG_CONFIG_HOME=$PWD/h HOME=$PWD/h $P config --json; true`,
    ])
    expect(said).toContain('nested.json')
  })

  test('has the agents of the person, wherever it says that their home is', async () => {
    const file = '---\\nname: general\\ndescription: d\\n---\\nOF THE AGENT\\n'
    const [said = ''] = await attack([
      `mkdir -p h/.claude/agents; printf -- '${file}' > h/.claude/agents/general.md; for clean in '' '${CLEAN}'; do HOME=$PWD/h $clean $P agents show general; done; true`,
    ])
    expect(said.match(/^source +built-in$/gm)).toHaveLength(2)
    expect(said).not.toContain('OF THE AGENT')
  })
})

test('a person answers, in a terminal and on the page', async () => {
  const shown = await user.run(['approve', approval])
  expect([shown.code, shown.stdout]).toEqual([2, expect.stringContaining('touch approved.txt')])
  const answer = await post(`/approvals/${approval}`, { answer: 'once' })
  expect(answer.status).toBe(200)
  await expect.poll(() => existsSync(join(user.directory, 'approved.txt')), { timeout: 20_000 }).toBe(true)
  const model = user.script({ '*': [touch, { text: 'done' }] }, 'again.json')
  expect((await post('/conversations', { text: 'hi', model, mode: 'ask' })).status).toBe(201)
  await expect.poll(open, { timeout: 20_000 }).toHaveLength(1)
  expect(await user.run(['approve', open()[0]!, 'deny'])).toMatchObject({ code: 0 })
})

test('a person goes on in auto, in a terminal and on the page', async () => {
  expect(await user.run(['steer', auto.branchId, 'of a person'])).toMatchObject({ code: 0 })
  expect((await post(`/branches/${auto.branchId}/messages`, { text: 'on the page' })).status).toBe(202)
  expect(itemsOf(auto)).toEqual(expect.arrayContaining(['of a person', 'on the page']))
})

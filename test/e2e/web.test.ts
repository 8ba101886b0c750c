import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { processIo } from '../../src/cli/io.ts'
import { httpSite, httpsSite, pem, type Handler, type Site } from '../../src/tools/web/fixtures/site.ts'
import { loopbackNetwork } from '../../src/tools/web/fixtures/loopback-network.ts'
import { programFiles } from '../support/program-files.ts'
import { StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

const ROOT = join(import.meta.dirname, '../..')
const ESCAPES = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

const html =
  (body: string): Handler =>
  (_, response) =>
    response.setHeader('content-type', 'text/html').end(body)

function optionsOf(site: Site) {
  const names = {
    'example.com': ['93.184.216.34'],
    'other.example.com': ['1.1.1.1'],
    'api.exa.ai': ['1.1.1.1'],
  }
  return { names, ports: { '*:80': site.port, '*:443': site.port }, trusted: pem('ca.pem') }
}

const fetching = (url: string) => ({ toolCalls: [{ tool: 'webfetch', input: { url } }] })
const ALLOW = JSON.stringify([{ tool: 'webfetch', pattern: 'example.com', action: 'allow' }])

/** What the model was told, in the order of its requests. */
function toolResults(user: TestUser): string[] {
  const parts = user.rows("SELECT part FROM parts WHERE part LIKE '%tool-result%' ORDER BY rowid") as {
    part: string
  }[]
  return parts.map(({ part }) => (JSON.parse(part) as { output: { text: string } }).output.text)
}

describe('the test build', () => {
  it('reaches a made-up internet, through the whole program', async () => {
    await using site = await httpSite(html(`<title>T</title><h1>Found</h1>${ESCAPES}`))
    const script = user.script({
      main: [fetching('http://example.com/page'), { match: 'Found', text: 'Seen.' }],
    })
    const program = new StartedProgram(
      [
        process.execPath,
        programFiles().testBuild,
        'run',
        'hi',
        '-m',
        script,
        '--output-format',
        'stream-json',
      ],
      {
        cwd: user.directory,
        env: {
          ...user.env,
          OFFSHOOT_PERMISSIONS: ALLOW,
          TEST_NETWORK: JSON.stringify(optionsOf(site)),
          // neither is asked: a proxy would look names up by itself
          HTTP_PROXY: 'http://127.0.0.1:9',
          http_proxy: 'http://127.0.0.1:9',
          NODE_USE_ENV_PROXY: '1',
        },
      },
    )
    const { code, stdout, stderr } = await program.ended
    expect({ code, requests: site.requests.map(({ url }) => url) }).toEqual({ code: 0, requests: ['/page'] })
    expect(stdout).toContain('Seen.')
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
  })

  it('alone can have another network: the program takes none, whatever the environment says', async () => {
    expect(processIo()).not.toHaveProperty('network')
    const sources = globSync('{src,dist}/**/*.{ts,js}', {
      cwd: ROOT,
      exclude: ['**/*.test.ts', '**/fixtures/**'],
    })
    const named = sources.filter((name) =>
      /TEST_NETWORK|loopbackNetwork|from '.*fixtures/.test(readFileSync(join(ROOT, name), 'utf8')),
    )
    expect(named).toEqual([])
    await using site = await httpSite(html('secret'))
    const urls = [
      `http://127.0.0.1:${site.port}/`,
      `http://localhost:${site.port}/`,
      `http://[::1]:${site.port}/`,
    ]
    const script = user.script({ main: [...urls.map(fetching), { text: 'Done.' }] })
    const ports = { [`127.0.0.1:${site.port}`]: site.port, '*:80': site.port }
    const env = { OFFSHOOT_PERMISSIONS: ALLOW, TEST_NETWORK: JSON.stringify({ ports }) }
    const { code } = await user.run(['run', 'hi', '-m', script, '--mode', 'auto'], { env })
    expect({ code, requests: site.requests.length }).toEqual({ code: 0, requests: 0 })
    expect(toolResults(user)).toEqual(
      urls.map(() => expect.stringMatching(/only public (ones|hosts) are fetched/)),
    )
  })
})

describe('permissions', () => {
  const run = async (args: readonly string[], env: Record<string, string>, url = 'http://example.com/') => {
    await using site = await httpSite((request, response) =>
      request.url === '/away'
        ? response.writeHead(302, { location: 'http://other.example.com/' }).end()
        : html('<p>Text</p>')(request, response),
    )
    const script = user.script({ main: [fetching(url), { text: 'Done.' }] })
    const network = loopbackNetwork(optionsOf(site))
    const ended = await user.call(['run', 'hi', '-m', script, ...args], { env, network })
    return { code: ended.code, lookups: network.lookups, told: toolResults(user)[0] }
  }

  it('ask for each host where nobody has allowed it; unattended that is a denial', async () => {
    expect(await run([], {})).toMatchObject({
      code: 5,
      lookups: [],
      told: expect.stringContaining('nobody can answer'),
    })
  })

  it.each(['plan', 'accept-edits'])('ask in the mode %s too', async (mode) => {
    expect(await run(['--mode', mode], {})).toMatchObject({ code: 5, lookups: [] })
  })

  it('allow what a rule names, and all in the mode auto', async () => {
    expect(await run([], { OFFSHOOT_PERMISSIONS: ALLOW })).toMatchObject({
      code: 0,
      told: expect.stringContaining('Text'),
    })
  })

  it('let a redirect lead only where the rules allow it', async () => {
    const away = 'http://example.com/away'
    expect(await run([], { OFFSHOOT_PERMISSIONS: ALLOW }, away)).toMatchObject({
      lookups: ['example.com'],
      told: expect.stringMatching(
        /redirects to http:\/\/other\.example\.com\/, .*\nCall webfetch with that URL/,
      ),
    })
  })

  it('let it lead anywhere public in the mode auto', async () => {
    expect(await run(['--mode', 'auto'], {}, 'http://example.com/away')).toMatchObject({
      lookups: ['example.com', 'other.example.com'],
      told: expect.stringContaining('requested="http://example.com/away"'),
    })
  })
})

describe('a run', () => {
  it('keeps a long page as an artifact, and shows its ends', async () => {
    await using site = await httpSite((_, response) =>
      response.setHeader('content-type', 'text/plain').end(`first\n${'middle\n'.repeat(20_000)}last`),
    )
    const script = user.script({ main: [fetching('http://example.com/'), { text: 'Done.' }] })
    const network = loopbackNetwork(optionsOf(site))
    await user.call(['run', 'hi', '-m', script, '--mode', 'auto'], { network })
    const [told = ''] = toolResults(user)
    expect(told).toMatch(
      /^<web_page [^]*first\n[^]*left out; the full text is artifact art_[^]*last\n<\/web_page>\nThis is data/,
    )
    expect(told.length).toBeLessThan(34_000)
    expect(user.rows('SELECT size FROM artifacts')).toEqual([{ size: expect.any(Number) }])
  })

  it('has websearch only where a provider is configured, and never shows its key', async () => {
    const results = [{ url: 'https://example.com/found', title: 'Found' }]
    await using site = await httpsSite((_, response) => response.end(JSON.stringify({ results })))
    const network = loopbackNetwork(optionsOf(site))
    const searching = { toolCalls: [{ tool: 'websearch', input: { query: 'x' } }] }
    const args = ['run', 'hi', '-m', user.script({ main: [searching, { text: 'Done.' }] }), '--mode', 'auto']
    await user.call(args, { network })
    expect(toolResults(user)).toEqual([expect.stringMatching(/^there is no tool "websearch"; .*webfetch/)])
    const env = { EXA_API_KEY: 'exa-s3cret' }
    const { stdout, stderr } = await user.call([...args, '--output-format', 'events'], { env, network })
    expect(toolResults(user)[1]).toContain('1. Found\n   https://example.com/found')
    expect(site.requests[0]?.headers['x-api-key']).toBe('exa-s3cret')
    expect(stdout + stderr + readFileSync(user.database, 'latin1')).not.toContain('s3cret')
  })

  it('says at its start that a search provider cannot be asked', async () => {
    const env = { OFFSHOOT_SEARCH__PROVIDER: 'brave' }
    const { code, stderr } = await user.call(['run', 'hi', '-m', 'offline'], { env })
    expect(code).toBe(0)
    expect(stderr).toContain(
      'offshoot: websearch: brave is not used: neither search.keys.brave nor BRAVE_API_KEY is set',
    )
  })

  it('of the offline researcher opens the address that it is given, and quotes it', async () => {
    await using site = await httpSite(html('<h1>Release 5</h1><p>Release 5 drops Node 18.</p>'))
    const network = loopbackNetwork(optionsOf(site))
    const task = 'What does release 5 drop? http://example.com/notes'
    const args = ['spawn', '--agent', 'researcher', '-m', 'offline', '--mode', 'auto', task]
    const { code, stdout } = await user.call(args, { network })
    expect(code).toBe(0)
    expect(stdout).toContain('- "Release 5 drops Node 18."')
    expect(site.requests.map(({ url }) => url)).toEqual(['/notes'])
  })
})

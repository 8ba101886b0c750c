import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadAgents } from './load-agents.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'offshoot-agents-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const project = (name: string) => join(root, 'project/.offshoot/agents', name)
const user = (name: string) => join(root, 'config/offshoot/agents', name)
const good = (name: string) => `---\nname: ${name}\ndescription: d\n---\np`
const load = () =>
  loadAgents([
    { path: join(root, 'project/.offshoot/agents'), format: 'offshoot', kind: 'tree' },
    { path: join(root, 'config/offshoot/agents'), format: 'offshoot', kind: 'tree' },
  ])

async function write(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
}

describe('agents of a project and of a user', () => {
  test('there are none where there are no directories', async () => {
    expect(await load()).toEqual({ agents: [], files: [], notes: [], agentTools: [] })
  })

  test('come from all their files, subdirectories included, in a fixed order', async () => {
    await write(project('b.md'), good('b'))
    await write(project('a/deep/c.md'), good('c'))
    await write(project('readme.txt'), 'no agent')
    await write(user('u.md'), good('u'))
    const { agents, notes } = await load()
    expect(agents.map(({ name, source }) => [name, source])).toEqual([
      ['c', project('a/deep/c.md')],
      ['b', project('b.md')],
      ['u', user('u.md')],
    ])
    expect(notes).toEqual([])
  })

  test('the project comes before the user, and that is said', async () => {
    await write(project('x.md'), good('critic'))
    await write(user('x.md'), good('critic'))
    const { agents, notes } = await load()
    expect(agents.map(({ source }) => source)).toEqual([project('x.md')])
    expect(notes).toEqual([
      {
        path: user('x.md'),
        format: 'offshoot',
        name: 'critic',
        skipped: `the agent critic of ${project('x.md')} takes precedence`,
        warnings: [],
        heldBack: [],
      },
    ])
  })
})

describe('a file that cannot be used hides no other', () => {
  const reasonFor = async (name: string) => {
    await write(project('good.md'), good('good'))
    const { agents, notes } = await load()
    expect(agents.map((agent) => agent.name)).toEqual(['good'])
    expect(notes).toHaveLength(1)
    expect(notes[0]!.path).toBe(project(name))
    return notes[0]!.skipped
  }

  test('a link to itself', async () => {
    await link('x.md', project('x.md'))
    expect(await reasonFor('x.md')).toBe('it is a symbolic link to itself')
  })

  test('a link to nothing', async () => {
    await link('gone', project('x.md'))
    expect(await reasonFor('x.md')).toBe('it is a broken symbolic link')
  })

  test('bytes that are not UTF-8', async () => {
    await write(project('x.md'), Buffer.from('LS0tCm5hbWU6IOT2/AotLS0KeA==', 'base64'))
    expect(await reasonFor('x.md')).toBe('it is not UTF-8 text')
  })

  test('a megabyte and one byte', async () => {
    await write(project('x.md'), good('x').padEnd(1024 * 1024 + 1))
    expect(await reasonFor('x.md')).toBe('it is larger than 1048576 bytes')
  })

  test('a device', async () => {
    await link('/dev/zero', project('x.md'))
    expect(await reasonFor('x.md')).toBe('it is not a regular file')
  })

  test.runIf(process.platform !== 'win32')('a pipe that nobody writes to', async () => {
    await mkdir(project(''), { recursive: true })
    execFileSync('sh', ['-c', 'mkfifo "$0"', project('x.md')])
    expect(await reasonFor('x.md')).toBe('it is not a regular file')
  })

  test('no description', async () => {
    await write(project('x.md'), 'You are an agent.')
    expect(await reasonFor('x.md')).toBe('it has no description')
  })
})

describe('directories', () => {
  test('that are named like a file are read as directories', async () => {
    await write(project('x.md/y.md'), good('y'))
    const { agents, notes } = await load()
    expect(agents.map(({ name }) => name)).toEqual(['y'])
    expect(notes).toEqual([])
  })

  test('that lead back to themselves are read once', async () => {
    await write(project('a/x.md'), good('x'))
    await link('..', project('a/up'))
    await link('a', project('same'))
    const { agents, notes } = await load()
    expect(agents.map(({ name }) => name)).toEqual(['x'])
    expect(notes).toEqual([])
  })

  test('that are files are said', async () => {
    await write(join(root, 'project/.offshoot/agents'), 'a file')
    expect((await load()).notes).toEqual([
      {
        path: join(root, 'project/.offshoot/agents'),
        format: 'offshoot',
        name: null,
        skipped: 'it cannot be read (ENOTDIR)',
        warnings: [],
        heldBack: [],
      },
    ])
  })

  test('a file of a megabyte is read', async () => {
    await write(project('x.md'), good('x').padEnd(1024 * 1024))
    expect((await load()).agents.map(({ prompt }) => prompt)).toEqual(['p'])
  })

  test('that a link leads out to are not entered', async () => {
    await write(join(root, 'elsewhere/x.md'), good('x'))
    await write(project('a.md'), good('a'))
    await link(join(root, 'elsewhere'), project('out'))
    const { agents, notes } = await load()
    expect(agents.map(({ name }) => name)).toEqual(['a'])
    expect(notes).toEqual([
      {
        path: project('out'),
        format: 'offshoot',
        name: null,
        skipped: 'it is a link to a place outside the agents directory',
        warnings: [],
        heldBack: [],
      },
    ])
  })

  test('may be links themselves', async () => {
    await write(join(root, 'elsewhere/deep/x.md'), good('x'))
    await link(join(root, 'elsewhere'), join(root, 'project/.offshoot/agents'))
    const { agents, notes } = await load()
    expect(agents.map(({ name }) => name)).toEqual(['x'])
    expect(notes).toEqual([])
  })

  test('that are too large to be any are left alone, and that is said once', async () => {
    await write(project('a.md'), good('a'))
    await Promise.all(Array.from({ length: 500 }, (_, i) => mkdir(project(`d${i}`))))
    const { agents, notes } = await load()
    expect(agents).toEqual([])
    expect(notes.map(({ path, skipped }) => [path, skipped])).toEqual([
      [
        join(root, 'project/.offshoot/agents'),
        'it has more than 500 directories or 10000 entries, so none of it is read',
      ],
    ])
  })

  test('below the eighth are left out, and that is said once', async () => {
    await write(project('1/2/3/4/5/6/7/8/x.md'), good('x'))
    await write(project('1/2/3/4/5/6/7/8/9/y.md'), good('y'))
    await write(project('1/2/3/4/5/6/7/8/9b/z.md'), good('z'))
    const { agents, notes } = await load()
    expect(agents.map(({ name }) => name)).toEqual(['x'])
    expect(notes.map(({ skipped }) => skipped)).toEqual([
      'it is deeper than 8 directories; deeper files are skipped',
    ])
  })

  test('with too many files are read in part, and that is said', async () => {
    const names = Array.from({ length: 1001 }, (_, i) => `f${String(i).padStart(4, '0')}.md`)
    await mkdir(project(''), { recursive: true })
    await Promise.all(names.map((name) => writeFile(project(name), good(name.slice(0, 5)))))
    const { agents, notes } = await load()
    expect(agents).toHaveLength(1000)
    expect(notes.map(({ skipped }) => skipped)).toEqual(['it has more than 1000 files; the rest are skipped'])
  }, 30_000)
})

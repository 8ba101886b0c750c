import type { Command } from 'commander'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { OffshootError } from '../../core/errors.ts'
import type { RuleRow } from '../../store/port.ts'
import { ToolError } from '../../tools/port.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { defaultConfig } from '../../config/config-schema.ts'
import { findAgents } from '../../project/agent-sources.ts'
import { knownTools } from '../../project/known-tools.ts'
import { listGrants, requireGrant, revokeGrant } from '../../runtime/asking/grants.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import { boundedLines } from '../terminal/bounded-lines.ts'
import { write, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'
import { noteEmpty } from '../terminal/note-empty.ts'
import { openStore } from '../open-store.ts'
import { unreadableFile } from '../typed-path.ts'
import { wholeId } from '../typed-id.ts'
import { orUnknown } from '../unknown-id.ts'
import { performVerb } from '../remote/perform-verb.ts'
import { checkLine, MAX_LINE_CHARS, readRuleSet } from '../permission-check.ts'
import { ruleText } from '../terminal/rule-text.ts'
import { groupCommand, type PlaceFlags } from './group-command.ts'

export function permissionsCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  const description = 'list what you always allow, in a directory and its conversations'
  const group = groupCommand(program, 'permissions', description, (flags) => list(flags, io))
  group.add('ls', 'list the permissions').action(() => list(group.flags(), io))
  group
    .add('revoke', 'revoke a permission; Offshoot asks again from then on')
    .argument('<grant>', 'id of the permission, or a unique prefix')
    .action((id: string) => revoke(id, io))
  group
    .add('check', 'check tool calls from stdin (JSON Lines) against the rules of a file')
    .requiredOption('--rules <file>', 'a JSON file: a list of rules, or a list of such lists')
    .action(async ({ rules }: { rules: string }) => {
      if (!(await check(rules, group.flags(), io))) setExitCode(exitCodes.failed)
    })
}

async function list({ directory, json }: PlaceFlags, io: Io): Promise<void> {
  const { root } = createWorkspace(resolve(io.cwd, directory))
  await using store = await openStore(io)
  const grants = listGrants(store, root).map(grantDocument)
  if (json) return await write(io, jsonLine(grants))
  if (grants.length === 0)
    return await noteEmpty(
      io,
      `no permissions granted in ${root}`,
      'an approval answered with always grants one; docs/permissions.md describes rules',
    )
  const lines = grants.map(
    ({ id, scope, conversationId, grantedAt, ...rule }) =>
      `${id}  ${(conversationId ?? scope).padEnd(30)}  ${ruleText(rule)}  ${new Date(grantedAt).toISOString()}\n`,
  )
  await write(io, lines.join(''))
}

function grantDocument({ id, conversationId, directory, tool, pattern, createdAt }: RuleRow) {
  const scope = conversationId === null ? ('project' as const) : ('conversation' as const)
  return { id, scope, conversationId, directory: directory ?? null, tool, pattern, grantedAt: createdAt }
}

/** One of a conversation belongs to the process that drives it. */
async function revoke(typed: string, io: Io): Promise<void> {
  const grant = await withoutProject(typed, io)
  const { id, conversationId } = grant
  if (conversationId !== null)
    await performVerb(io, conversationId, { verb: 'revoke', target: id, args: null })
  await write(io, `revoked: ${id}, ${ruleText(grant)}\n`)
}

async function withoutProject(typed: string, io: Io): Promise<RuleRow> {
  await using store = await openStore(io)
  const id = wholeId(store, typed, ['rul'])
  const grant = orUnknown(store, id, ['rul'], () => requireGrant(store, id))
  if (grant.conversationId === null) await store.tx((tx) => revokeGrant(tx, id), { durable: true })
  return grant
}

/** Answers each line as it comes. False: there was one that could not be decided. */
async function check(file: string, { directory }: PlaceFlags, io: Io): Promise<boolean> {
  const text = readText(file, io)
  const workspace = createWorkspace(resolve(io.cwd, directory))
  const settings = defaultConfig() // the rules of the file count, and nothing else
  const known = knownTools({
    found: await findAgents(workspace.root, io.env, { config: settings, base: settings }),
  })
  const levels = readRuleSet(text, file, known)
  let number = 0
  let isGood = true
  for await (const line of boundedLines(io.stdin, MAX_LINE_CHARS)) {
    number++
    if (line.trim() === '') continue
    try {
      await write(io, jsonLine(checkLine(line, levels, { workspace, known })))
    } catch (error) {
      isGood = false
      await write(io, jsonLine({ line: number, error: problem(error) }))
    }
  }
  return isGood
}

function problem(error: unknown) {
  if (!(error instanceof OffshootError || error instanceof ToolError)) throw error
  const { code, message, hint } = error
  return { code, message, ...(hint ? { hint } : {}) }
}

function readText(file: string, { cwd }: Io): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8')
  } catch (cause) {
    throw unreadableFile(file, cause)
  }
}

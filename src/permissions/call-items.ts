import { agentAliases } from '../core/rules/agent-names.ts'
import type { Item, ReadCommand } from './item.ts'
import { UNKNOWN } from './match-pattern.ts'
import { pathItems } from './path-items.ts'
import type { PermissionCall, PermissionSubject, Widens } from './types.ts'

/** Splits a call into the parts that rules decide separately. Never empty. */
export function callItems(call: PermissionCall, readCommand: ReadCommand = unread): readonly Item[] {
  if (call.subjects.length === 0) return [textItem(call, '', null)]
  return call.subjects.flatMap((subject) => subjectItems(call, subject, readCommand))
}

function subjectItems(
  call: PermissionCall,
  subject: PermissionSubject,
  readCommand: ReadCommand,
): readonly Item[] {
  switch (subject.kind) {
    case 'path':
      return pathItems(call, subject.path)
    case 'command':
      return readCommand(call, subject.command)
    case 'host':
      return [hostItem(call, subject.value)]
    case 'name':
      return [nameItem(call, subject.value)]
    case 'sandbox_network':
    case 'sandbox_write':
      return [wideningItem(call, subject.kind, subject.value)]
  }
}

/**
 * Asks in every mode, and under every rule for the tool or for everything. A host on a usual port may also be named
 * without it, as in `sandbox.network`.
 */
function wideningItem(call: PermissionCall, tool: Widens, value: string): Item {
  const pattern = exactPattern(value)
  return {
    ...textItem(call, value, pattern),
    tools: [tool],
    effects: null,
    title: tool === 'sandbox_write' ? `write access to ${value}` : `access to ${value}`,
    kind: tool === 'sandbox_write' ? 'path' : 'text',
    texts: tool === 'sandbox_write' ? [value] : [value, value.replace(/:(80|443)$/, '')],
    fallback: 'ask',
    grant: pattern === null ? null : { tool, pattern },
    widens: true,
  }
}

/** An unparsed command line: no allow rule matches it, but every rule that may deny it does. */
function unread(call: PermissionCall, command: string): readonly Item[] {
  const guard = 'asks because the command was not parsed'
  return [{ ...textItem(call, command, null), title: call.tool, uncertain: UNKNOWN, guard, fallback: 'ask' }]
}

/** Ask and deny rules may also name a host as plain text or with the scheme. */
function hostItem(call: PermissionCall, value: string): Item {
  const aliases = [value, `http://${value}`, `https://${value}`]
  return { ...textItem(call, value, hostPattern(value)), kind: 'host', aliases }
}

/**
 * Ask and deny rules may use the name that another system gives an agent, since a call by that name starts our agent.
 */
function nameItem(call: PermissionCall, value: string): Item {
  const isAgent = [call.tool, call.alsoTool].includes('task') && Object.hasOwn(agentAliases, value)
  const item = textItem(call, value, exactPattern(value))
  return isAgent ? { ...item, aliases: agentAliases[value]! } : item
}

function textItem(call: PermissionCall, text: string, pattern: string | null): Item {
  const allowed = call.effects === 'none' || call.effects === 'spawn'
  return {
    tools: [call.tool, ...(call.alsoTool === undefined ? [] : [call.alsoTool]), call.toolset, '*'],
    effects: call.effects,
    title: text === '' ? call.tool : `${call.tool} ${text}`,
    kind: 'text',
    texts: [text],
    aliases: [],
    uncertain: null,
    cautions: [],
    guard: null,
    fallback: allowed ? 'allow' : 'ask',
    grant: pattern === null ? (text === '' ? { tool: call.tool } : null) : { tool: call.tool, pattern },
  }
}

/** Grants the whole host: a grant for one page would ask again for the next. */
function hostPattern(value: string): string | null {
  const host = value.split('/', 1)[0] ?? ''
  return host === '' || host.includes('*') || value.includes('://') ? exactPattern(value) : `${host}/*`
}

/** Returns null for a name with a star, because patterns have no escape. */
function exactPattern(value: string): string | null {
  return value === '' || value.includes('*') ? null : value
}

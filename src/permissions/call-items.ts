import { agentAliases } from '../core/rules/agent-names.ts'
import type { Item, ReadCommand } from './item.ts'
import { UNKNOWN } from './match-pattern.ts'
import { pathItems } from './path-items.ts'
import type { PermissionCall, PermissionSubject } from './types.ts'

/** What a call does, one item for everything that rules decide by itself. Never empty. */
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
  }
}

/** Nobody knows what the line does: no rule allows it, and one that may forbid it counts. */
function unread(call: PermissionCall, command: string): readonly Item[] {
  const guard = 'asks because the command was not read'
  return [{ ...textItem(call, command, null), title: call.tool, uncertain: UNKNOWN, guard, fallback: 'ask' }]
}

/** What asks or denies may also be written as for any text, and with the scheme before it. */
function hostItem(call: PermissionCall, value: string): Item {
  const aliases = [value, `http://${value}`, `https://${value}`]
  return { ...textItem(call, value, hostPattern(value)), kind: 'host', aliases }
}

/** A rule that asks or denies may name an agent as other systems do: a call that names it so reaches ours. */
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

/** The whole host: an answer for one page would be asked again for the next. */
function hostPattern(value: string): string | null {
  const host = value.split('/', 1)[0] ?? ''
  return host === '' || host.includes('*') || value.includes('://') ? exactPattern(value) : `${host}/*`
}

/** Patterns have no way to quote a star. */
function exactPattern(value: string): string | null {
  return value === '' || value.includes('*') ? null : value
}

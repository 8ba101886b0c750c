import { z } from 'zod'
import { shown } from '../core/rules/quoted-value.ts'
import { allowsRule, readHostRule, type HostRule } from '../tools/cell/network/host-rule.ts'
import { defaults } from './defaults.ts'
import { sandboxSettings } from './sandbox-setting.ts'

const MAX_HOSTS = 200
const MAX_PORTS = 32
/** A cell may not listen on lower ones. */
const FIRST_PORT = 1024

/** What confines the commands of agents, and what they reach all the same. */
export function makeSandboxSchema() {
  const modes = sandboxSettings.map((each) => `"${each}"`).join(', ')
  const error = ({ input }: { readonly input?: unknown }) => `expected one of ${modes}, got ${shown(input)}`
  return z
    .strictObject({
      mode: z
        .enum(sandboxSettings, { error })
        .default(defaults.sandbox.mode)
        .describe('auto: commands of agents are confined where that can be done; required: or nothing runs'),
      network: z
        .array(hostSchema())
        .max(MAX_HOSTS)
        .default([])
        .describe('hosts that confined commands reach: example.com, *.example.com, example.com:8443'),
      ports: z
        .array(z.int().min(FIRST_PORT).max(65_535))
        .max(MAX_PORTS)
        .refine((ports) => new Set(ports).size === ports.length, 'a port appears twice')
        .default([])
        .describe('ports of services on this machine that confined commands reach on 127.0.0.1'),
    })
    .prefault({})
}

function hostSchema() {
  return z.string().superRefine((text, context) => {
    const read = readHostRule(text)
    if ('problem' in read) context.addIssue({ code: 'custom', message: read.problem })
  })
}

/** Of checked entries. */
export function hostRules(network: readonly string[]): HostRule[] {
  return network.map(readHostRule).flatMap((rule) => ('problem' in rule ? [] : [rule]))
}

/** Whether no host is in one list that is not allowed by the other. What is no list is not. */
export function namesNoMoreHosts(network: unknown, than: readonly string[]): boolean {
  const rules = hostRules(than)
  return isListOf(network, (text) => {
    const read = readHostRule(String(text))
    return !('problem' in read) && allowsRule(rules, read)
  })
}

export function namesNoMorePorts(ports: unknown, than: readonly number[]): boolean {
  return isListOf(ports, (port) => than.includes(port as number))
}

function isListOf(value: unknown, is: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is)
}

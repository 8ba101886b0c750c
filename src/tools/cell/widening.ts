import { z } from 'zod'
import type { Widening } from '../../core/command-sandbox.ts'
import { directoryProblem } from './widened-directories.ts'
import { bracketed, readHostRule } from './network/host-rule.ts'
import type { Subject } from '../port.ts'
import type { HostAndPort } from '../web/network.ts'

/** More than a person would read. */
const MAX_ENTRIES = 8

/** What a command may ask for beyond its sandbox. A person decides it; the schema takes only what may be asked for. */
export const wideningInput = z.lazy(() =>
  z
    .strictObject({
      hosts: z
        .array(z.string().superRefine(isHostAndPort))
        .max(MAX_ENTRIES)
        .optional()
        .describe('hosts that the sandbox refused, with the port: example.com:443'),
      directories: z
        .array(z.string().superRefine(isDirectory))
        .max(MAX_ENTRIES)
        .optional()
        .describe('absolute paths of directories outside the workspace to write in'),
    })
    .describe('for a command that the sandbox refused something: what a person is asked to allow it'),
)

type WideningInput = z.infer<typeof wideningInput>

export function wideningOf(input: WideningInput | undefined): Widening {
  const hosts = (input?.hosts ?? []).flatMap((text) => {
    const host = readHost(text)
    return 'problem' in host ? [] : [hostText(host)]
  })
  return { hosts: [...new Set(hosts)], directories: [...new Set(input?.directories)] }
}

/** What the rules decide of it. */
export function wideningSubjects({ hosts, directories }: Widening): Subject[] {
  return [
    ...hosts.map((value): Subject => ({ kind: 'sandbox_network', value })),
    ...directories.map((value): Subject => ({ kind: 'sandbox_write', value })),
  ]
}

export function wideningIn(subjects: readonly Subject[]): Widening {
  const of = (kind: Subject['kind']) =>
    subjects.filter((each) => each.kind === kind).map(({ value }) => value)
  return { hosts: of('sandbox_network'), directories: of('sandbox_write') }
}

export function hostText({ host, port }: HostAndPort): string {
  return `${bracketed(host)}:${port}`
}

/** One public host and one port: what a refusal names. */
export function readHost(text: string): HostAndPort | { readonly problem: string } {
  const rule = readHostRule(text)
  if ('problem' in rule) return rule
  const quoted = JSON.stringify(text.slice(0, 100))
  if (rule.below) return { problem: `${quoted}: name one host, without a *` }
  if (rule.port === null) return { problem: `${quoted}: name the port too: ${bracketed(rule.name)}:443` }
  return { host: rule.name, port: rule.port }
}

function isDirectory(text: string, context: z.RefinementCtx<string>): void {
  const message = directoryProblem(text)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
}

function isHostAndPort(text: string, context: z.RefinementCtx<string>): void {
  const host = readHost(text)
  if ('problem' in host) context.addIssue({ code: 'custom', message: host.problem })
}

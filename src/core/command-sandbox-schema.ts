import { z } from 'zod'
import type { SandboxForce, Widening } from './command-sandbox.ts'

/** A code that other versions may extend: any string is accepted. */
export const sandboxForce = z.string() as unknown as z.ZodType<SandboxForce, string>

/** What a person allowed commands, or is asked for, beyond the settings of their sandbox. */
export const wideningSchema: z.ZodType<Widening, Widening> = z.looseObject({
  /** `example.com:443`, or a pattern of a person's own such as `*.example.com`. */
  hosts: z.array(z.string()).readonly(),
  /** Absolute paths. */
  directories: z.array(z.string()).readonly(),
})

export const commandSandbox = z
  .object({
    /** `off`: nothing confines the command. `no-network`, `allowed-hosts`: a sandbox does. */
    force: sandboxForce,
    /** In a sandbox: the directories that the command can write. */
    writes: z.array(z.string()).readonly(),
    /** What the command asks for beyond that. Absent: nothing. */
    asks: wideningSchema.optional(),
  })
  .readonly()

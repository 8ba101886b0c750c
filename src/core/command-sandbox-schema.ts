import { z } from 'zod'
import type { SandboxForce } from './command-sandbox.ts'

/** A code that other versions may extend: any string is accepted. */
export const sandboxForce = z.string() as unknown as z.ZodType<SandboxForce, string>

export const commandSandbox = z
  .object({
    /** `off`: nothing confines the command. `no-network`, `allowed-hosts`: a sandbox does. */
    force: sandboxForce,
    /** In a sandbox: the directories that the command can write. */
    writes: z.array(z.string()).readonly(),
  })
  .readonly()

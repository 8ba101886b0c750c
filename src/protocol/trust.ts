import { z } from 'zod'

const directory = z.string().min(1)

/** What a file of a directory asks for. `text` holds words of the file: it is shown as text. */
const trustRequest = z
  .object({
    file: z.string(),
    kind: z.enum(['rule', 'model', 'limit', 'price', 'agent', 'setting']),
    key: z.string(),
    text: z.string(),
    granted: z.boolean(),
  })
  .readonly()

/** `digest`: of all that is asked; `problem`: why the record of the user is not believed. */
export const trust = z
  .object({
    directory,
    digest: z.string(),
    trusted: z.boolean(),
    problem: z.string().nullable(),
    requests: z.array(trustRequest).readonly(),
  })
  .readonly()
export type TrustRow = z.infer<typeof trust>

/** Without a directory: where the server was started. */
export const trustQuery = z.object({ directory: directory.optional() })

/** The digest of what the person was shown: where the files ask for something else by now, nothing is granted. */
export const giveTrust = trustQuery.extend({ digest: z.string().min(1) })

export const revokeTrust = z.object({ directory: directory.optional() })

import { z } from 'zod'

const directory = z.string().min(1)

/** A request of a file in a directory. `text` contains words of the file: show it as text. */
const trustRequest = z
  .object({
    file: z.string(),
    kind: z.enum(['rule', 'model', 'limit', 'price', 'agent', 'setting']),
    key: z.string(),
    text: z.string(),
    granted: z.boolean(),
  })
  .readonly()

/** `digest`: of all requests; `problem`: why the user's record is ignored. */
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

/** Digest of what the person saw: if the requests have changed since, nothing is granted. */
export const giveTrust = trustQuery.extend({ digest: z.string().min(1) })

export const revokeTrust = z.object({ directory: directory.optional() })

import type { Json } from '../../core/json.ts'

/** The content of a report, or its problems, one per line, and whether another try could fix them. */
export type CheckedReport =
  | { readonly fits: true; readonly value: Json }
  | { readonly fits: false; readonly lines: readonly string[]; readonly canBeMended: boolean }

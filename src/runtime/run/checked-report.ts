import type { Json } from '../../core/json.ts'

/** What a report holds; or what is wrong with it, a line each, and whether another try could mend that. */
export type CheckedReport =
  | { readonly fits: true; readonly value: Json }
  | { readonly fits: false; readonly lines: readonly string[]; readonly canBeMended: boolean }

/**
 * Input schemas for models of the built-in tools, of `task` (without its agents) and of its companion tools, as JSON
 * Schemas by tool name. The bundler inserts them here (scripts/builtin-data.mjs), so that a start need not derive them
 * from zod; the sources derive each on first use.
 */
export const preparedSchemas: Readonly<Record<string, () => object>> = {}

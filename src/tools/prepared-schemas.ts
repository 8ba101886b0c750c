/**
 * What models are told of the inputs of the built-in tools, of `task` (without its agents) and of the tools that control
 * subagents, made anew at each call: JSON Schemas by the names of the tools. The bundler puts them here
 * (scripts/builtin-data.mjs), so that a start makes none of zod's; the sources make each when it is first asked for.
 */
export const preparedSchemas: Readonly<Record<string, () => object>> = {}

/**
 * What models are told of the inputs of the built-in tools, JSON Schemas by the names of the tools. The bundler puts them
 * here (scripts/builtin-data.mjs), so that a start makes none; the sources make each when it is first asked for.
 */
export const preparedSchemas: Readonly<Record<string, object>> = {}

import { configSchema, type Config } from './config-schema.ts'

/**
 * What is in force where nobody says anything. In a bundle it is data (scripts/builtin-data.mjs), so that such a start
 * makes no schema.
 */
export const defaultConfig = (): Config => configSchema().parse({})

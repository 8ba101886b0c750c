import type { Config } from './config-schema.ts'
import { defaults } from './defaults.ts'

/** The configuration where nobody says anything. */
export const defaultConfig = (): Config => structuredClone(defaults)

import { harmlessJson } from '../../core/harmless-json.ts'

/** A value as one line of JSON. */
export function jsonLine(value: object): string {
  return `${harmlessJson(JSON.stringify(value))}\n`
}

import type { Layer } from './types.ts'

export const MODES = ['plan', 'ask', 'accept-edits', 'auto'] as const
export type Mode = (typeof MODES)[number]

/** A mode is a predefined layer of the root level. File and directory guards apply in every mode. */
export function modeLayer(mode: Mode): Layer {
  const name = `mode ${mode}`
  switch (mode) {
    case 'plan':
      return {
        name,
        rules: [],
        byEffect: { write: 'deny', execute: 'deny', network: 'ask', spawn: 'allow' },
      }
    case 'ask':
      return { name, rules: [] }
    case 'accept-edits':
      return { name, rules: [], byEffect: { write: 'allow' } }
    case 'auto':
      return {
        name,
        rules: [],
        byEffect: { none: 'allow', write: 'allow', execute: 'allow', network: 'allow', spawn: 'allow' },
      }
  }
}

import { MODES, type Mode } from '../permissions/modes.ts'

/** Requests of whoever starts or continues a run. */
export interface WantedRun {
  readonly mode?: string | undefined
  readonly model?: string | undefined
  readonly budgetUsd?: number | undefined
  readonly settings?: Readonly<Partial<Record<(typeof COSTLY)[number], unknown>>> | undefined
}

/** The part of a request that only a person may make; undefined: agents may make it too. */
export function personOnly({ mode, model, budgetUsd, settings = {} }: WantedRun): string | undefined {
  if (mode !== undefined && isWider(mode)) return `the mode ${mode}`
  if (model?.trim().startsWith('scripted:')) return 'a scripted model'
  if (budgetUsd !== undefined) return 'a budget'
  const costly = COSTLY.find((name) => settings[name] !== undefined && settings[name] !== '5m')
  return costly && `the setting ${costly}`
}

/** Settings that can make a request more expensive, or different, than a person has allowed. */
const COSTLY = ['providerOptions', 'promptCache', 'maxOutputTokens'] as const

/**
 * A turn that an agent's message would start or steer with a person's rights. `modes`: modes in which the conversation
 * may be driven. Undefined: none is wider than `ask`.
 */
export function turnOfPerson(modes: readonly (string | null | undefined)[]): string | undefined {
  const wide = modes.find((mode) => typeof mode === 'string' && isWider(mode))
  return typeof wide === 'string' ? `a turn in the mode ${wide}` : undefined
}

/** An unknown mode counts as wide. */
function isWider(mode: string): boolean {
  return MODES.indexOf(mode as Mode) > MODES.indexOf('ask') || !MODES.includes(mode as Mode)
}

export const TO_PERSON = 'a person does this, in their own terminal or on the page'

import { MODES, type Mode } from '../permissions/modes.ts'

/** What somebody asks for who starts or continues a run. */
export interface WantedRun {
  readonly mode?: string | undefined
  readonly model?: string | undefined
  readonly budgetUsd?: number | undefined
  readonly settings?: Readonly<Partial<Record<(typeof COSTLY)[number], unknown>>> | undefined
}

/** What a person alone gives; undefined where an agent may ask for it too. */
export function personOnly({ mode, model, budgetUsd, settings = {} }: WantedRun): string | undefined {
  if (mode !== undefined && isWider(mode)) return `the mode ${mode}`
  if (model?.trim().startsWith('scripted:')) return 'a scripted model'
  if (budgetUsd !== undefined) return 'a budget'
  const costly = COSTLY.find((name) => settings[name] !== undefined && settings[name] !== '5m')
  return costly && `the setting ${costly}`
}

/** What can make a request dearer, or another one, than a person has allowed. */
const COSTLY = ['providerOptions', 'promptCache', 'maxOutputTokens'] as const

/**
 * A turn that the words of an agent would start or steer with what a person has allowed. `modes`: those that a conversation
 * may be driven in. Undefined: none of them is wider than `ask`.
 */
export function turnOfPerson(modes: readonly (string | null | undefined)[]): string | undefined {
  const wide = modes.find((mode) => typeof mode === 'string' && isWider(mode))
  return typeof wide === 'string' ? `a turn in the mode ${wide}` : undefined
}

/** A mode that is not known is no narrower one. */
function isWider(mode: string): boolean {
  return MODES.indexOf(mode as Mode) > MODES.indexOf('ask') || !MODES.includes(mode as Mode)
}

export const TO_PERSON = 'a person does this, in their own terminal or on the page'

const MAX_NAME_CHARS = 128
/** They mark where a name ends in what models and people read of an agent: attributes, labels, code. */
const MARKUP = /[<>"&`[\]\\]/

/** Why a text is no name of an agent; undefined: it is one. */
export function agentNameProblem(name: string): string | undefined {
  if (name === '') return 'is empty'
  if (name.includes(':')) return 'contains a colon'
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) return 'contains invisible characters'
  const markup = MARKUP.exec(name)?.[0]
  if (markup !== undefined) return `contains ${markup}; leave out < > " & \` [ ] and \\`
  return name.length > MAX_NAME_CHARS ? `is longer than ${MAX_NAME_CHARS} characters` : undefined
}

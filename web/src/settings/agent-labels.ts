import type { AgentRow } from 'offshoot/protocol'

/** Where an agent comes from, seen from the directory of the project. */
export function originOf({ source }: Pick<AgentRow, 'source'>, directory: string | undefined): string {
  if (source === 'built-in' || source === 'program') return source
  return directory !== undefined && source.startsWith(`${directory}/`) ? 'project' : 'user'
}

export function modelWords({ model }: Pick<AgentRow, 'model'>): string {
  if (model === 'inherit') return 'model of its parent'
  return model === 'small' ? 'the small model' : model
}

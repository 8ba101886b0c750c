import type { AgentRow } from 'offshoot/protocol'

/** The source of an agent, relative to the project directory. */
export function originOf({ source }: Pick<AgentRow, 'source'>, directory: string | undefined): string {
  if (source === 'built-in' || source === 'program') return source
  return directory !== undefined && source.startsWith(`${directory}/`) ? 'project' : 'user'
}

export function modelWords({ model }: Pick<AgentRow, 'model'>): string {
  if (model === 'inherit') return 'its parent’s model'
  return model === 'small' ? 'the small model' : model
}

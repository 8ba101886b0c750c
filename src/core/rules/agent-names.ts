/** Names of the agents of other systems, by ours that do the same and may do no more; spelled as they are there. */
export const agentAliases: Readonly<Record<string, readonly string[]>> = {
  main: ['build', 'primary'],
  general: ['general-purpose', 'generalPurpose', 'generalist', 'worker', 'default', 'task'],
  explore: ['Explore', 'explorer', 'codebase_investigator'],
  planner: ['Plan', 'plan'],
  reviewer: ['code-review', 'code-reviewer'],
  researcher: ['research'],
}

/** Our agents by the names that similar agents have in other systems, spelled as there; ours never have more rights. */
export const agentAliases: Readonly<Record<string, readonly string[]>> = {
  main: ['build', 'primary'],
  general: ['general-purpose', 'generalPurpose', 'generalist', 'worker', 'default', 'task'],
  explore: ['Explore', 'explorer', 'codebase_investigator'],
  planner: ['Plan', 'plan'],
  reviewer: ['code-review', 'code-reviewer'],
  researcher: ['research'],
}

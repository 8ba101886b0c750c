import type { Rule } from '../core/agent.ts'
import { toolsets } from '../core/rules/tool-names.ts'

/**
 * Adds a question before every call of these tools. The last match in a list decides, so the question comes first:
 * denied calls stay denied, and allowed ones ask.
 */
export function askBefore(rules: readonly Rule[], tools: readonly string[]): Rule[] {
  if (tools.length === 0) return [...rules]
  const every = tools.includes('*')
  const concerns = (tool: string) => every || tool === '*' || TOOLSETS.has(tool) || tools.includes(tool)
  return [
    ...tools.map((tool): Rule => ({ tool, action: 'ask' })),
    ...rules.map((rule) =>
      rule.action === 'allow' && concerns(rule.tool) ? { ...rule, action: 'ask' as const } : rule,
    ),
  ]
}

const TOOLSETS: ReadonlySet<string> = new Set(toolsets)

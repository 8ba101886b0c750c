import { systemClock } from '../exec/system-clock.ts'
import { askUserTool } from './ask-user.ts'
import { bashTool } from './bash.ts'
import { editTool } from './edit.ts'
import { globTool } from './glob.ts'
import { grepTool } from './grep.ts'
import { listTool } from './list.ts'
import type { AnyTool } from './port.ts'
import { preparedSchemas } from './prepared-schemas.ts'
import { readTool } from './read.ts'
import { todoTool } from './todo.ts'
import { systemNetwork, type Network } from './web/network.ts'
import type { SearchSettings } from './web/search-settings.ts'
import { webfetchTool } from './web/webfetch.ts'
import { websearchTool } from './web/websearch.ts'
import { writeTool } from './write.ts'

export interface BuiltinToolOptions {
  /** The search provider; without one there is no `websearch`. */
  readonly search?: SearchSettings | undefined
  /** Network access; only tests replace the system's. */
  readonly network?: Network | undefined
}

/** The working tools (docs/tools.md), in the order in which models see them. */
export function builtinTools({ search, network = systemNetwork }: BuiltinToolOptions = {}): AnyTool[] {
  const web = { network, clock: systemClock }
  const tools = [
    readTool(),
    writeTool(),
    editTool(),
    listTool(),
    globTool(),
    grepTool(),
    bashTool(),
    todoTool(),
    askUserTool(),
    webfetchTool(web),
    ...(search ? [websearchTool(search, web)] : []),
  ]
  return tools.map((tool) => {
    const jsonSchema = preparedSchemas[tool.name]?.()
    return jsonSchema ? { ...tool, jsonSchema } : tool
  })
}

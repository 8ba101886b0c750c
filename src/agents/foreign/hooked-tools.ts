import type { Json } from '../../core/json.ts'
import { flat } from '../restricting-keys.ts'
import { unique } from './name-list.ts'
import { commonTools, toolsNamed } from './tool-names.ts'

type JsonMap = { readonly [key: string]: Json | undefined }

/** The tools whose calls a hook of this file could refuse; `*` if unknown. */
export function hookedTools(hooks: Json | undefined): readonly string[] {
  if (!isMap(hooks)) return MAY_REFUSE.test(flat(JSON.stringify(hooks ?? null))) ? ['*'] : []
  const events = Object.entries(hooks).filter(([event]) => MAY_REFUSE.test(flat(event)))
  const tools = unique(
    events.flatMap(([, entries]) => (Array.isArray(entries) ? entries.flatMap(toolsOf) : ['*'])),
  )
  return tools.includes('*') ? ['*'] : tools
}

const MAY_REFUSE = /pretooluse|permissionrequest|beforetool/

/** A matcher is a name, several names with `|`, or a pattern; without one it matches every call. */
function toolsOf(entry: Json): readonly string[] {
  const matcher = isMap(entry) ? entry.matcher : undefined
  if (typeof matcher !== 'string' || !/^\w+(\s*\|\s*\w+)*$/.test(matcher)) return ['*']
  return matcher.split('|').flatMap((name) => toolsNamed(name, commonTools))
}

function isMap(value: Json | undefined): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

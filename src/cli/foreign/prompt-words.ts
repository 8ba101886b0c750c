import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * What to say of a prompt that begins with a slash command or the mention of an agent, as other programs read them: it
 * reaches the model as it is. undefined: it begins with neither, or with the name of a file.
 */
export function unreadWord(prompt: string, cwd: string): string | undefined {
  const [, mark, name] = /^\s*([/@])([A-Za-z][\w:-]*)(?=\s|$)/.exec(prompt) ?? []
  if (name === undefined || existsSync(resolve(cwd, mark === '/' ? `/${name}` : name))) return undefined
  const sent = `${mark}${name} is sent to the model as text`
  return mark === '/'
    ? `${sent}: slash commands are not read; offshoot agents commands lists their files`
    : `${sent}: a mention selects no agent; --agent ${name} does`
}

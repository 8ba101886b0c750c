import { basename } from 'node:path'
import type { AgentFormat, FormatName } from '../agent-format.ts'
import { ownFormat } from '../offshoot-format.ts'
import { claudeFormat } from './claude.ts'
import { codexFormat } from './codex.ts'
import { copilotFormat } from './copilot.ts'
import { cursorFormat } from './cursor.ts'
import { geminiFormat } from './gemini.ts'
import { opencodeConfigFormat } from './opencode-config.ts'
import { opencodeFormat } from './opencode.ts'

const MARKDOWN: Readonly<Record<FormatName, AgentFormat>> = {
  offshoot: ownFormat,
  claude: claudeFormat,
  opencode: opencodeFormat,
  codex: codexFormat,
  gemini: geminiFormat,
  cursor: cursorFormat,
  copilot: copilotFormat,
}

/** How to read a file: by `format`, or by its name and the nearest directory named after a program. */
export function formatOf(path: string, format?: FormatName): AgentFormat {
  if (/\.jsonc?$/i.test(path)) return opencodeConfigFormat
  if (/\.toml$/i.test(path)) return codexFormat
  if (format) return MARKDOWN[format]
  const directory = path.split(/[/\\]/).findLast((name) => PROGRAM.test(name))
  if (directory) return MARKDOWN[programOf(directory)]
  return /\.agent\.md$/i.test(basename(path)) ? copilotFormat : claudeFormat
}

const PROGRAM = /^\.?(offshoot|claude|opencode|gemini|cursor|copilot|github)$/

function programOf(directory: string): FormatName {
  const name = directory.replace(/^\./, '')
  return name === 'github' ? 'copilot' : (name as FormatName)
}

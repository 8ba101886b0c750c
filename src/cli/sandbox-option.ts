import { InvalidArgumentError, Option } from 'commander'
import { sandboxSettings, type SandboxSetting } from '../config/sandbox-setting.ts'

export function sandboxOption(): Option {
  const about = `whether commands are confined: ${sandboxSettings.join(', ')}; default: sandbox of the configuration`
  return new Option('--sandbox <how>', about).choices(sandboxSettings).argParser(readSetting)
}

function readSetting(text: string): SandboxSetting {
  const found = sandboxSettings.find((setting) => setting === text)
  if (found) return found
  const foreign = CODEX.has(text) ? ' To forbid changes, use --mode plan.' : ''
  throw new InvalidArgumentError(`Allowed choices are ${sandboxSettings.join(', ')}.${foreign}`)
}

/** What Codex calls a sandbox. */
export const CODEX: ReadonlySet<string> = new Set(['read-only', 'workspace-write', 'danger-full-access'])

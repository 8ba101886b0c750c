import { sizeText } from '../../core/size-text.ts'
import { storeSize } from '../../store/sqlite/read-only-store.ts'
import type { Config } from '../../config/config-schema.ts'

/** One warning if the store exceeds its configured size. */
export function sizeWarnings(file: string, { store: { warnBytes } }: Pick<Config, 'store'>): string[] {
  const { bytes, logBytes } = storeSize(file)
  const used = bytes + logBytes
  if (warnBytes === null || used <= warnBytes) return []
  return [
    `the store ${file} takes ${sizeText(used)}, more than store.warnBytes (${sizeText(warnBytes)}): offshoot gc --dry-run shows what can be deleted`,
  ]
}

import { randomFillSync } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { createIds, type NewId } from '../../core/ids.ts'

export function randomIds(clock: Clock): NewId {
  return createIds(clock.now, pooledRandom())
}

/** Fetching ten random bytes costs as much as a thousand, and new ids are frequent. */
function pooledRandom(): (bytes: number) => Uint8Array {
  const pool = new Uint8Array(POOL_BYTES)
  let used = POOL_BYTES
  return (bytes) => {
    if (used + bytes > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    return pool.slice(used, (used += bytes))
  }
}

const POOL_BYTES = 1_000

export function newRuleId(newId: NewId): string {
  return `rul_${newId('prt').slice('prt_'.length)}`
}

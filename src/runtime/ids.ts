import { randomBytes } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { createIds, type NewId } from '../core/ids.ts'

export function randomIds(clock: Clock): NewId {
  return createIds(clock.now, randomBytes)
}

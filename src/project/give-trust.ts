import { OffshootError } from '../core/errors.ts'
import { dataHome, type Env } from '../config/homes.ts'
import { loadProject, type TrustState } from './project.ts'
import { changeRecord, readRecord, type TrustedFile, type TrustRecord } from '../trust/trust-record.ts'
import type { Pin } from '../trust/pinned-restrictions.ts'

/**
 * Records that a person grants what they were shown. @throws OffshootError `conflict` if the files ask for something
 * else by now, `config` if the record is unreadable or would be ignored.
 */
export async function giveTrust(directory: string, digest: string, env: Env): Promise<TrustState> {
  const { trust, loaded } = await loadProject(directory, env)
  if (trust.digest !== digest)
    throw new OffshootError(
      'conflict',
      `the requests of the files in ${directory} changed after they were shown`,
      {
        hint: 'review them again, then decide',
      },
    )
  record(trust, loaded.pin, env)
  const { trust: now } = await loadProject(directory, env)
  if (now.problem !== null) throw new OffshootError('config', now.problem, { hint: OUTSIDE })
  return now
}

const CONFIG = 'offshoot.jsonc'
const OUTSIDE = 'Set OFFSHOOT_HOME to a directory outside it.'

function record({ directory, requests }: TrustState, pin: Pin | null, env: Env): void {
  const asking = Map.groupBy(requests, ({ file }) => file)
  const files: Record<string, TrustedFile> = Object.fromEntries(
    [...asking].map(([file, all]) => [
      file,
      { sha256: all[0]!.sha256, accepted: all.map(({ identity }) => identity) },
    ]),
  )
  if (pin) {
    const { sha256, rules, values } = pin
    files[CONFIG] = { accepted: [], ...files[CONFIG], sha256, narrows: { rules, values } }
  }
  const trustedAt = new Date().toISOString()
  if (Object.keys(files).length === 0) return void revokeTrust(directory, env)
  changeRecord(dataHome(env), (record) => ({ ...record, [directory]: { trustedAt, files } }))
}

/** Whether there was something to revoke. @throws OffshootError `config` */
export function revokeTrust(directory: string, env: Env): boolean {
  const home = dataHome(env)
  if (!Object.hasOwn(readRecord(home), directory)) return false
  let wasTrusted = false
  changeRecord(home, ({ [directory]: old, ...others }) => {
    wasTrusted = old !== undefined
    return others
  })
  return wasTrusted
}

/** All trusted directories. @throws OffshootError `config` */
export function listTrust(env: Env): TrustRecord {
  return readRecord(dataHome(env))
}

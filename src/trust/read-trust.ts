import { errorMessage } from '../core/errors.ts'
import { configSchema } from '../config/config-schema.ts'
import { dataHome, homeOf, type Env } from '../config/homes.ts'
import { isOwnRecord, readRecord, type TrustedDirectory } from './trust-record.ts'
import type { Grants, Pin } from './pinned-restrictions.ts'
import { canonical, isCovered, sha256, type IsGranted } from './trust-request.ts'

/** The user's record for a directory. */
export interface Trusted extends Grants {
  /** Why the record is ignored. */
  readonly problem: string | null
  /** Changes with every change of grants. */
  readonly version: string
}

const NOTHING: IsGranted = () => false

/** Never throws: an unreadable record grants nothing. `directory`: a real path. */
export function readTrusted(directory: string, env: Env): Trusted {
  try {
    const home = dataHome(env)
    const all = readRecord(home)
    const record = Object.hasOwn(all, directory) ? all[directory] : undefined
    if (!record) return { isGranted: NOTHING, problem: null, version: '' }
    if (isOwnRecord(home, directory, homeOrNull(env))) return nothing(OWN)
    return {
      isGranted: grantedBy(record),
      problem: null,
      version: sha256(canonical(record)),
      pin: pinIn(record),
    }
  } catch (error) {
    return nothing(errorMessage(error))
  }
}

const OWN = 'the trust record is inside the directory that it covers, so it is ignored'

function nothing(problem: string): Trusted {
  return { isGranted: NOTHING, problem, version: problem }
}

function grantedBy({ files }: TrustedDirectory): IsGranted {
  return (request) => {
    const accepted = Object.hasOwn(files, request.file) ? files[request.file]!.accepted : []
    return accepted.some((each) => isCovered(each, request))
  }
}

function pinIn({ files }: TrustedDirectory): Pin | undefined {
  const file = Object.values(files).find(({ narrows }) => narrows !== undefined)
  if (!file?.narrows) return undefined
  configSchema().parse(file.narrows.values)
  return { sha256: file.sha256, ...file.narrows }
}

function homeOrNull(env: Env): string | null {
  try {
    return homeOf(env)
  } catch {
    return null
  }
}

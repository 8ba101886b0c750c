import { basename, dirname } from 'node:path'
import {
  combineConfig,
  readConfigFiles,
  type ConfigFiles,
  type LoadedConfig,
} from '../config/config-sources.ts'
import type { RawConfig } from '../config/config-file.ts'
import { ofProject } from '../config/read-source.ts'
import type { Env } from '../config/homes.ts'
import { mergeValues } from '../config/merge-values.ts'
import { narrowConfig } from '../trust/narrow-config.ts'
import { droppedRequests, NO_GRANTS, pinOf, type Grants, type Pin } from '../trust/pinned-restrictions.ts'
import { sha256, type AskedRequest } from '../trust/trust-request.ts'

/** Configuration, and the requests of the project's file. */
export interface JudgedConfig extends LoadedConfig {
  /** Ungranted settings, which appear in no other field (docs/trust.md). */
  readonly requests: readonly AskedRequest[]
  /** Restrictions of the project's file; null: none. */
  readonly pin: Pin | null
}

/** The project's file applies as far as it only restricts or is granted. @throws OffshootError `config`. */
export function loadConfig(
  directory: string,
  env: Env,
  program?: RawConfig,
  grants: Grants = NO_GRANTS,
): JudgedConfig {
  const files = readConfigFiles(directory, env)
  const { requests, pin, values, trusted } = judge(files, grants)
  const source = { ...ofProject(files.project), values }
  return { ...combineConfig(files, { source, trusted }, env, program), requests, pin }
}

function judge({ user: { values: user }, project }: ConfigFiles, { isGranted, pin: old }: Grants) {
  const allowed = ofProject(project).values
  const about = { file: basename(project.file), sha256: sha256(project.text), root: dirname(project.file) }
  const pin = project.found ? pinOf(allowed, user, about) : null
  if (!old || old.sha256 === about.sha256)
    return { ...narrowConfig(allowed, user, about, isGranted), pin, trusted: undefined }
  const kept = narrowConfig(old.values, user, about, () => false).values
  const { values, requests } = narrowConfig(allowed, mergeValues(user, kept), about, isGranted)
  const asked = [...requests, ...droppedRequests(old, allowed, about)]
  return { values, requests: asked, pin, trusted: { ...kept, permissions: old.rules } }
}

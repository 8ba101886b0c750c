import type { Scenario } from '../play.ts'
import { asks } from './asks.ts'
import { crash } from './crash.ts'
import { elsewhere } from './elsewhere.ts'
import { forks } from './forks.ts'
import { http } from './http.ts'
import { imported } from './imported.ts'
import { limits } from './limits.ts'
import { reports } from './reports.ts'
import { tree } from './tree.ts'
import { turns } from './turns.ts'

export const scenarios: readonly Scenario[] = [
  turns,
  tree,
  reports,
  asks,
  limits,
  forks,
  crash,
  elsewhere,
  imported,
  http,
]

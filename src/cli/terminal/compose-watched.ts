import type { SandboxSetting } from '../../config/sandbox-setting.ts'
import type { Rule } from '../../core/agent.ts'
import type { Mode } from '../../permissions/modes.ts'
import { compose, type Composed } from '../../runtime/host/compose.ts'
import type { Io } from '../io.ts'
import { tellUnknownOn } from './recovered-text.ts'

interface HowFlags {
  readonly mode?: Mode | undefined
  readonly sandbox?: SandboxSetting | undefined
}

/** The runtime of a command that drives runs before the eyes of a person. @throws OffshootError as `compose` does. */
export function composeWatched(
  directory: string,
  { mode, sandbox }: HowFlags,
  io: Io,
  rules: readonly Rule[] = [],
): Promise<Composed> {
  return compose({
    directory,
    env: io.env,
    mode,
    own: { rules, ...(sandbox && { config: { sandbox } }) },
    tellUnknown: tellUnknownOn(io),
    ...io.testPorts,
  })
}

import type { Rule } from '../../core/agent.ts'
import type { Mode } from '../../permissions/modes.ts'
import { compose, type Composed } from '../../runtime/host/compose.ts'
import type { Io } from '../io.ts'
import { tellUnknownOn } from './recovered-text.ts'

/** The runtime of a command that drives runs before the eyes of a person. @throws OffshootError as `compose` does. */
export function composeWatched(
  directory: string,
  mode: Mode | undefined,
  io: Io,
  rules: readonly Rule[] = [],
): Promise<Composed> {
  return compose({
    directory,
    env: io.env,
    mode,
    own: { rules },
    tellUnknown: tellUnknownOn(io),
    ...io.testPorts,
  })
}

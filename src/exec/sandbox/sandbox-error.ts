import { OffshootError } from '../../core/errors.ts'

/** A cell that could not be started, or that ended under a command. */
export class SandboxError extends OffshootError {
  constructor(message: string, cause?: unknown) {
    super('internal', message, { cause })
    this.name = 'SandboxError'
  }
}

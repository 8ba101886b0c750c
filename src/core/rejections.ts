/** Marks a promise as handled if its error reaches other code that awaits it. */
export function ignoreLateRejection(promise: Promise<unknown>): void {
  promise.catch(ignore)
}

/** Settles with `promise` and never rejects: for work whose failure the caller can neither fix nor report. */
export function bestEffort(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch(ignore)
}

function ignore(): void {}

/** Marks a promise as handled whose error reaches the code that awaits it later, if any does. */
export function ignoreLateRejection(promise: Promise<unknown>): void {
  promise.catch(ignore)
}

/** Settles with `promise` and never rejects: for work whose failure the caller can neither repair nor report. */
export function bestEffort(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch(ignore)
}

function ignore(): void {}

/** The clock's timers let a process end; while this work goes on, it does not. */
export async function keepAlive<T>(work: Promise<T>): Promise<T> {
  const hold = setInterval(() => {}, 2 ** 30)
  try {
    return await work
  } finally {
    clearInterval(hold)
  }
}

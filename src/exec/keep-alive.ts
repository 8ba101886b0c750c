/** Keeps the process alive during this work; the clock's timers do not. */
export async function keepAlive<T>(work: Promise<T>): Promise<T> {
  const hold = setInterval(() => {}, 2 ** 30)
  try {
    return await work
  } finally {
    clearInterval(hold)
  }
}

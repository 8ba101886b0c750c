type Read<T> = (name: string, text: string) => T

/** Several rules ask the same of each source, and parsing it takes longest: what was read is kept. */
export function readOnce<T>(read: Read<T>): Read<T> {
  const known = new Map<string, { readonly text: string; readonly value: T }>()
  return (name, text) => {
    const last = known.get(name)
    if (last?.text === text) return last.value
    const value = read(name, text)
    known.set(name, { text, value })
    return value
  }
}

/** The first Node that has all that is used: `engines` in package.json. */
const NEEDED = [24, 15] as const

/** What to say where the installed package is started by an older Node, in which the rest cannot even be loaded. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isEnough = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])
  if (isEnough) return undefined
  return `offshoot: Node ${NEEDED.join('.')} or newer is needed, and this is ${version}\n  install it, and start offshoot again\n`
}

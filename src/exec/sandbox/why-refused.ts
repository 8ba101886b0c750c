export const NOT_INSTALLED = 'bubblewrap is not installed: there is no bwrap on PATH'

/** What bubblewrap prints when it or the kernel refuses, and what that means. */
const REASONS: readonly (readonly [pattern: RegExp, why: string])[] = [
  [
    /No permissions to create new namespace|creating new namespace.*not permitted|clone.*not permitted/i,
    'this machine allows no new user namespaces (in a container: its seccomp filter; else kernel.unprivileged_userns_clone)',
  ],
  [/max_\S+_namespaces exceeded/i, 'no more user namespaces are allowed (user.max_user_namespaces)'],
  [
    /setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR/i,
    'AppArmor restricts user namespaces; the profile bwrap-userns-restrict allows them to bubblewrap',
  ],
  [
    /Failed to make \/ slave|pivot_root/i,
    'this machine allows no mounts in a new namespace (in a container: its AppArmor profile)',
  ],
  [/Can't mount proc/i, 'a /proc of its own cannot be mounted: parts of /proc are masked, as in a container'],
  [/Unknown option (\S+)/i, 'this bubblewrap is too old: 0.8 is needed'],
]

/** One line. */
export function whyRefused(text: string): string {
  if (/exec: .*not found/.test(text)) return NOT_INSTALLED // of the shell that starts it
  const said = text
    .trim()
    .split('\n')[0]!
    .replace(/^bwrap: /, '')
    .slice(0, 200)
  const found = REASONS.find(([pattern]) => pattern.test(text))
  return found ? `${found[1]} (bubblewrap: ${said})` : `bubblewrap: ${said}`
}

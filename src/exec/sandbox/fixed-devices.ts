/** Those that bubblewrap shows of the machine. */
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`)

/**
 * Read-only mounts of devices can be written to as before. bubblewrap keeps that of a mount that it copies. Not every `mount`
 * does both at once: a second look, without a process of its own, finds what is left.
 */
const FIX = `
for path in ${DEVICES.join(' ')}; do mount -o bind,ro $path $path; done 2> /dev/null
while read -r _ _ _ _ point options _; do
  case "$options" in ro | ro,*) continue ;; esac
  case " ${DEVICES.join(' ')} " in *" $point "*) mount -o remount,bind,ro $point 2> /dev/null ;; esac
done < /proc/self/mountinfo
exec "$@"`

/** Root has mounts of its own, or, in a container, where it is root of users of its own. */
const AS_ROOT = `
for users in '' '--user --map-root-user'; do
  if unshare $users --mount true 2> /dev/null; then exec unshare $users --mount --propagation private /bin/sh -c "$0" sh "$@"; fi
done
exec "$@"`

/**
 * The command line that starts a program in whose cell nobody changes the modes of the machine's devices: root owns them,
 * and would be their owner in a cell too. Nobody else is.
 */
export function withFixedDevices(command: readonly string[]): readonly string[] {
  return process.getuid?.() === 0 ? ['/bin/sh', '-c', AS_ROOT, FIX, ...command] : command
}

import type { OptionTable } from './arguments.ts'

/** A program that runs another one, which stands in its own words after its options. */
export interface Wrapper extends OptionTable {
  /** Words between the options and the command: the duration of `timeout`. */
  readonly skip?: number
  /** `NAME=value` words may stand before the command. */
  readonly assigns?: boolean
  /** The words are one text for a shell. */
  readonly text?: boolean
  /** Why an allow for a pattern does not cover it; completes "asks because it ...". */
  readonly caution?: string
}

const OTHER_RIGHTS = 'runs with other rights'
const OTHER_PLACE = 'runs somewhere else'
const any: Wrapper = { any: true, ordered: true }

export const wrappers: Readonly<Record<string, Wrapper>> = {
  command: { flags: 'pvV' },
  builtin: {},
  exec: { flags: 'cl', values: 'a' },
  nohup: {},
  setsid: { flags: 'cfw', longs: 'ctty fork wait' },
  nice: { flags: '0-9', values: 'n adjustment' },
  ionice: { flags: 't', longs: 'ignore', values: 'c n class classdata' },
  chrt: { flags: 'abdfiormRv', skip: 1, values: 'T P D' },
  taskset: { flags: 'ac', longs: 'all-tasks cpu-list', skip: 1 },
  stdbuf: { values: 'i o e input output error' },
  timeout: {
    flags: 'v',
    longs: 'foreground preserve-status verbose',
    values: 'k s kill-after signal',
    skip: 1,
  },
  time: { flags: 'pvq', longs: 'portability verbose quiet', values: 'f format' },
  env: {
    flags: 'i0v',
    longs: 'ignore-environment null debug',
    values: 'u unset',
    assigns: true,
  },
  sudo: {
    flags: 'AbEeHiKklnPSsVv',
    values: 'C D g h p R r T t U u user group host prompt chdir chroot role type other-user close-from',
    longs: 'preserve-env login shell non-interactive stdin set-home background askpass',
    assigns: true,
    caution: OTHER_RIGHTS,
  },
  doas: { flags: 'nLs', values: 'a C u', caution: OTHER_RIGHTS },
  pkexec: { values: 'user', caution: OTHER_RIGHTS },
  setpriv: { ...any, caution: OTHER_RIGHTS },
  fakeroot: { ...any, caution: OTHER_RIGHTS },
  capsh: { ...any, caution: OTHER_RIGHTS },
  chroot: { ...any, skip: 1, caution: OTHER_PLACE },
  unshare: { ...any, caution: OTHER_PLACE },
  nsenter: { ...any, values: 't target S G', caution: OTHER_PLACE },
  bwrap: { ...any, caution: OTHER_PLACE },
  firejail: { ...any, caution: OTHER_PLACE },
  proot: { ...any, caution: OTHER_PLACE },
  'systemd-run': { ...any, values: 'p u M property unit', caution: OTHER_PLACE },
  strace: {
    flags: 'cCdfFhiknqrtTvVwxyYzZ',
    values: 'a b e E I O p P s S u U X',
  },
  ltrace: { flags: 'bcCfhiLnrStTV', values: 'a A e F l n p s u w x' },
  valgrind: { ...any },
  perf: { ...any, skip: 1, caution: 'records to a file' },
  gdb: { ...any, caution: 'runs commands of its own' },
  flock: { flags: 'einosuxF', values: 'E w', skip: 1, caution: 'writes a lock file' },
  watch: { flags: 'bcdegptwx', values: 'n q interval equexit', text: true },
  unbuffer: { flags: 'p' },
  numactl: { ...any },
  prlimit: { ...any },
  setarch: { ...any },
  linux32: { ...any },
  linux64: { ...any },
  chpst: { ...any, caution: OTHER_RIGHTS },
  'dbus-run-session': { ...any },
  'xvfb-run': { ...any, values: 'n s' },
  rlwrap: { ...any },
  catchsegv: { ...any },
  'cross-env': { assigns: true },
  dotenv: { ...any, values: 'e v' },
  torify: { ...any, caution: OTHER_PLACE },
  torsocks: { ...any, caution: OTHER_PLACE },
  proxychains: { ...any, caution: OTHER_PLACE },
  busybox: {},
  toybox: {},
  entr: { ...any },
  cpulimit: { ...any, values: 'l p e' },
  eatmydata: { ...any },
  faketime: { ...any, skip: 1 },
  'dbus-launch': { ...any },
  daemonize: { ...any, values: 'a c e l o p u' },
  'ld-linux-x86-64.so.2': { ...any },
  'ld-linux.so.2': { ...any },
  'ld-linux-aarch64.so.1': { ...any },
  'ld-musl-x86_64.so.1': { ...any },
  hyperfine: { ...any },
}

import type { Program } from './program-entry.ts'
import { packingPrograms } from './packing-programs.ts'
import { transferPrograms } from './transfer-programs.ts'

const TEXT: Program = { operands: 'text', any: true }
const READ: Program = { operands: 'read', any: true }

const GREP: Program = {
  operands: 'script',
  flags: 'EFGPyivwxcLlqsbHhnTUzoaIrRZ0-9',
  longs: `extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp
    line-regexp count color colour files-without-match files-with-matches only-matching quiet silent no-messages
    byte-offset with-filename no-filename initial-tab null line-number text recursive dereference-recursive
    line-buffered binary null-data help version`,
  values: `e m A B C d D regexp max-count after-context before-context context label binary-files devices directories
    include exclude exclude-dir`,
  reads: 'f file exclude-from',
  scriptOptions: '-e -f --regexp --file',
  walks: {
    when: '-r -R -d --recursive --dereference-recursive --directories',
    links: '-R --dereference-recursive',
    names: '--include',
    here: true,
  },
}

const RIPGREP: Program = {
  runs: true,
  operands: 'script',
  flags: 'abcFhHiIlLnNopPqsSuUvVwx.0',
  longs: `after auto-hybrid-regex binary block-buffered byte-offset case-sensitive column count count-matches crlf debug
    files files-with-matches files-without-match fixed-strings follow glob-case-insensitive heading help hidden
    ignore-case include-zero invert-match json line-buffered line-number line-regexp max-columns-preview mmap multiline
    multiline-dotall no-config no-filename no-heading no-ignore no-ignore-dot no-ignore-exclude no-ignore-files
    no-ignore-global no-ignore-messages no-ignore-parent no-ignore-vcs no-line-number no-messages no-mmap no-unicode
    null null-data one-file-system only-matching passthru pcre2 pcre2-version pretty quiet smart-case stats stop-on-nonmatch
    text trim trace type-list unrestricted version vimgrep with-filename word-regexp no-pcre2 no-hidden no-follow`,
  values: `A B C d e E g j m M r t T after-context before-context color colors context context-separator dfa-size-limit
    encoding engine field-context-separator field-match-separator glob iglob max-columns max-count max-depth max-filesize
    path-separator regexp regex-size-limit replace sort sortr threads type type-add type-clear type-not
    hyperlink-format`,
  reads: 'f file ignore-file',
  scriptOptions: '-e -f --regexp --file --files --type-list',
  walks: {
    hidden: '-. --hidden -u --unrestricted',
    links: '-L --follow',
    names: '-g --glob --iglob',
    types: '-t --type',
    lists: '--files --type-list',
    here: true,
  },
}

const COPY: Program = {
  operands: 'copy',
  flags: 'abdfHiLlnPpRrsTuvxZ',
  longs: `archive attributes-only force interactive link dereference no-clobber no-dereference preserve no-preserve
    parents recursive reflink remove-destination sparse strip-trailing-slashes symbolic-link no-target-directory update
    verbose one-file-system backup debug help version exchange no-copy`,
  values: 'S suffix',
  reads: 't target-directory',
  walks: { when: '-r -R -a --recursive --archive', links: '-L -H --dereference' },
}

const CHANGE: Program = {
  operands: 'write',
  flags: 'cfvRhHLPn',
  longs: `changes silent quiet verbose recursive dereference no-dereference preserve-root help version`,
  values: 'from',
  reads: 'reference',
  globs: 'ask',
  walks: { when: '-R --recursive' },
}

const DIGEST: Program = { ...READ, values: 'a l length algorithm' }

export const programs: Readonly<Record<string, Program>> = {
  ':': TEXT,
  true: TEXT,
  false: TEXT,
  echo: TEXT,
  pwd: TEXT,
  exit: TEXT,
  return: TEXT,
  break: TEXT,
  continue: TEXT,
  shift: TEXT,
  sleep: TEXT,
  seq: TEXT,
  whoami: TEXT,
  id: TEXT,
  groups: TEXT,
  uname: TEXT,
  nproc: TEXT,
  uptime: TEXT,
  tty: TEXT,
  ps: TEXT,
  pgrep: TEXT,
  kill: TEXT,
  free: TEXT,
  cal: TEXT,
  basename: TEXT,
  dirname: TEXT,
  expr: TEXT,
  factor: TEXT,
  tr: TEXT,
  type: TEXT,
  which: TEXT,
  whereis: TEXT,
  times: TEXT,
  printenv: TEXT,
  umask: TEXT,
  locale: TEXT,
  tput: TEXT,
  yes: TEXT,
  clear: TEXT,
  hostname: {
    operands: 'read',
    flags: 'aAdfiIsy',
    longs: 'short fqdn long ip-address domain all-fqdns help version',
  },
  date: {
    operands: 'text',
    flags: 'RuI',
    longs: 'iso-8601 rfc-email rfc-2822 rfc-3339 utc universal debug help version',
    values: 'd date v j',
    reads: 'f r file reference',
  },
  cat: READ,
  tac: READ,
  nl: { ...READ, values: 'b d f h i l n s v w' },
  rev: READ,
  wc: {
    operands: 'read',
    flags: 'clmwL',
    longs: 'bytes chars lines words max-line-length total help version',
    sends: 'files0-from',
  },
  head: { ...READ, values: 'n c lines bytes' },
  tail: { ...READ, values: 'n c s lines bytes pid sleep-interval max-unchanged-stats' },
  od: { ...READ, values: 'A j N S t w' },
  hexdump: { ...READ, values: 'e n s', reads: 'f' },
  xxd: { operands: 'output', flags: 'abCeiupE', values: 'c g l n o s R' },
  strings: { ...READ, values: 'n t e T' },
  cksum: DIGEST,
  md5sum: DIGEST,
  sha1sum: DIGEST,
  sha224sum: DIGEST,
  sha256sum: DIGEST,
  sha384sum: DIGEST,
  sha512sum: DIGEST,
  shasum: DIGEST,
  b2sum: DIGEST,
  sum: READ,
  fold: { ...READ, values: 'w width' },
  fmt: { ...READ, values: 'p w g width goal prefix' },
  expand: { ...READ, values: 't tabs' },
  unexpand: { ...READ, values: 't tabs' },
  paste: { ...READ, values: 'd delimiters' },
  join: { ...READ, values: 'a e i j o t v 1 2' },
  comm: { ...READ, values: 'output-delimiter' },
  cut: { ...READ, values: 'b c d f bytes characters delimiter fields output-delimiter' },
  column: { ...READ, values: 'c s o N R H T W output-separator separator table-columns' },
  cmp: { ...READ, values: 'i n ignore-initial bytes' },
  sdiff: {
    runs: true,
    operands: 'read',
    flags: 'iEZbWBalstdH',
    longs: `ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space
      ignore-blank-lines strip-trailing-cr text left-column suppress-common-lines expand-tabs minimal
      speed-large-files help version`,
    values: 'I w ignore-matching-lines width tabsize',
    writes: 'o output',
  },
  diff3: {
    runs: true,
    operands: 'read',
    flags: 'AeE3xXimaTHv',
    longs: `show-all ed show-overlap easy-only overlap-only merge text strip-trailing-cr initial-tab help version`,
    values: 'L label',
  },
  diff: {
    operands: 'read',
    flags: 'qsceynpTtNrliEZbwBaduU0-9',
    longs: `normal brief report-identical-files context unified ed rcs side-by-side left-column suppress-common-lines
      show-c-function expand-tabs initial-tab suppress-blank-empty recursive no-dereference new-file
      unidirectional-new-file ignore-file-name-case no-ignore-file-name-case ignore-case ignore-tab-expansion
      ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines text strip-trailing-cr minimal
      speed-large-files color help version`,
    values:
      'C U W x F I L S D label width exclude show-function-line ignore-matching-lines starting-file tabsize horizon-lines',
    reads: 'X exclude-from from-file to-file',
    walks: { when: '-r --recursive' },
  },
  ls: { ...READ, values: 'I T w ignore hide tabsize width' },
  dir: READ,
  vdir: READ,
  stat: { ...READ, values: 'c f t format printf' },
  du: {
    ...READ,
    values: 'd B t exclude max-depth block-size threshold',
    reads: 'X exclude-from',
    sends: 'files0-from',
  },
  df: { ...READ, values: 'B t x block-size output type exclude-type' },
  readlink: READ,
  realpath: { ...READ, reads: 'relative-to relative-base' },
  file: {
    operands: 'read',
    flags: 'bcdEhikLlnNprsSvzZ0',
    longs: `brief checking-printout debug extension mime mime-type mime-encoding keep-going dereference no-dereference
      no-buffer no-pad preserve-date raw special-files no-sandbox version uncompress print0 help list`,
    values: 'e F P separator parameter exclude exclude-quiet',
    reads: 'f m files-from magic-file',
  },
  tree: {
    operands: 'read',
    flags: 'adflxNqpuShDFvctrnACQXJsgi',
    longs: `dirsfirst filesfirst noreport gitignore prune du si inodes device metafirst matchdirs ignore-case help version
      fromfile`,
    values: 'L P I H T sort timefmt charset filelimit',
  },
  base64: {
    operands: 'read',
    flags: 'dDi',
    longs: 'decode ignore-garbage help version',
    values: 'w wrap',
    writes: 'o output',
  },
  base32: { operands: 'read', flags: 'dDi', longs: 'decode ignore-garbage help version', values: 'w wrap' },
  zcat: READ,
  bzcat: READ,
  xzcat: READ,
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rgrep: { ...GREP, walks: { links: '-R --dereference-recursive', names: '--include', here: true } },
  rg: RIPGREP,
  sort: {
    runs: true,
    operands: 'read',
    flags: 'bdfgiMhnRrVcCmsuz',
    longs: `ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort
      human-numeric-sort numeric-sort random-sort reverse version-sort check merge stable unique zero-terminated debug
      help version`,
    values: 'k t S key field-separator buffer-size parallel batch-size sort',
    reads: 'random-source',
    sends: 'files0-from',
    writes: 'o output T temporary-directory',
  },
  shuf: {
    operands: 'read',
    flags: 'erz',
    longs: 'echo repeat zero-terminated help version',
    values: 'i n input-range head-count',
    reads: 'random-source',
  },
  uniq: {
    operands: 'output',
    flags: 'cdDiuz',
    longs: 'count repeated all-repeated group ignore-case unique zero-terminated help version',
    values: 'f s w skip-fields skip-chars check-chars',
  },
  jq: {
    operands: 'script',
    flags: 'nrcCMaSseRj0',
    longs: `null-input raw-output raw-output0 join-output compact-output color-output monochrome-output ascii-output
      sort-keys slurp exit-status raw-input tab seq stream stream-errors unbuffered help version`,
    values: 'indent arg argjson',
    reads: 'f from-file',
    sends: 'L library-path',
    scriptOptions: '-f --from-file',
  },
  yq: {
    operands: 'script',
    flags: 'rncCMPNej',
    longs:
      'raw-output null-input compact-output colors no-colors prettyPrint no-doc exit-status help version',
    values: 'o p I output-format input-format indent',
    scriptOptions: '',
  },
  touch: {
    operands: 'write',
    flags: 'acmhf',
    longs: 'no-create no-dereference help version',
    values: 'd t date time',
    reads: 'r reference',
  },
  mkdir: { operands: 'write', flags: 'pvZ', longs: 'parents verbose help version', values: 'm mode' },
  rmdir: { operands: 'remove', flags: 'pv', longs: 'parents verbose ignore-fail-on-non-empty help version' },
  tee: { operands: 'write', flags: 'aip', longs: 'append ignore-interrupts help version' },
  truncate: {
    operands: 'write',
    flags: 'co',
    longs: 'no-create io-blocks help version',
    values: 's size',
    reads: 'r reference',
  },
  rm: {
    operands: 'remove',
    flags: 'fiIrRdvxP',
    longs: 'force interactive one-file-system preserve-root recursive dir verbose help version',
    walks: { when: '-r -R --recursive' },
  },
  unlink: { operands: 'remove', any: true },
  shred: {
    operands: 'remove',
    flags: 'fuvxz',
    longs: 'force zero verbose exact',
    values: 'n s iterations size',
  },
  cp: COPY,
  mv: { ...COPY, operands: 'move' },
  ln: {
    ...COPY,
    flags: 'bdFfiLnPrsTv',
    longs: 'force symbolic relative verbose no-dereference interactive',
    operands: 'move',
  },
  install: {
    operands: 'copy',
    flags: 'bcCdDpTv',
    longs: 'compare directory preserve-timestamps no-target-directory verbose help version',
    values: 'g m o S group mode owner suffix',
    reads: 't target-directory',
  },
  chmod: { ...CHANGE, flags: 'cfvRrwxXstugoa+', operands: 'write' },
  chown: CHANGE,
  chgrp: CHANGE,
  less: {
    runs: true,
    operands: 'read',
    flags: 'aAcCdeEfFgGiIJmMnNqQrRsSuUwWX',
    longs: 'quit-if-one-screen RAW-CONTROL-CHARS no-init chop-long-lines',
    pluses: true,
  },
  more: { runs: true, operands: 'read', flags: 'dflcpsu', values: 'n', pluses: true },
  bat: {
    runs: true,
    operands: 'read',
    flags: 'ApnfPSLhV',
    longs: 'show-all plain number no-pager list-themes list-languages help version',
    values:
      'l m r H language line-range highlight-line color style theme tabs wrap decorations terminal-width',
  },
  ...packingPrograms,
  ...transferPrograms,
}

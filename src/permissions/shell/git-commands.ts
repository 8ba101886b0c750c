import type { OptionTable } from './arguments.ts'

export interface GitCommand extends OptionTable {
  /** Subcommands (`git stash push`); the empty name: no subcommand, or options first. */
  readonly sub?: Readonly<Record<string, OptionTable>>
  /** Without one of these words the command changes something, so it asks. */
  readonly only?: string
  /** Operands are not files. */
  readonly text?: boolean
  /** Operands are files that the command changes. */
  readonly changes?: boolean
  /** Operands may be the address of a repository. */
  readonly remote?: boolean
  /** The operands after the first one are directories that it makes. */
  readonly makes?: boolean
}

const DIFF_LONGS = `patch no-patch raw patch-with-raw patch-with-stat stat numstat shortstat dirstat cumulative summary
  name-only name-status color no-color color-moved no-color-moved color-words word-diff word-diff-regex minimal patience
  histogram indent-heuristic no-indent-heuristic unified function-context ignore-all-space ignore-space-change
  ignore-space-at-eol ignore-cr-at-eol ignore-blank-lines ignore-matching-lines full-index binary abbrev no-abbrev
  find-renames find-copies find-copies-harder no-renames rename-empty no-rename-empty break-rewrites irreversible-delete
  check exit-code quiet no-ext-diff no-textconv no-relative relative text cached staged merge-base pickaxe-all
  pickaxe-regex no-prefix default-prefix compact-summary ita-invisible-in-index submodule ignore-submodules cc
  combined-all-paths diff-merges no-diff-merges follow reverse z`

const LOG_LONGS = `oneline graph all branches tags remotes decorate no-decorate pretty format abbrev-commit no-abbrev-commit
  date relative-date source stat merges no-merges first-parent reverse topo-order date-order author-date-order
  max-count skip since after until before author committer grep all-match invert-grep no-walk do-walk left-right
  left-only right-only cherry cherry-pick cherry-mark boundary simplify-by-decoration full-history show-signature
  no-show-signature parents children notes no-notes show-notes regexp-ignore-case extended-regexp fixed-strings perl-regexp
  min-parents max-parents walk-reflogs reflog exclude glob clear-decorations decorate-refs decorate-refs-exclude mailmap
  use-mailmap no-mailmap encoding expand-tabs no-expand-tabs ancestry-path simplify-merges sparse dense remove-empty
  log-size show-pulls count`

const DIFF_VALUES = `U S G L l unified diff-algorithm anchored stat-width stat-count inter-hunk-context
  ws-error-highlight src-prefix dst-prefix line-prefix diff-filter find-object rotate-to skip-to output-indicator-new
  output-indicator-old output-indicator-context word-diff-regex`

const DIFF: OptionTable = { flags: 'pusRabwWzMCBDcm0-9qt', longs: DIFF_LONGS, values: DIFF_VALUES }
const LOG: OptionTable = {
  flags: 'pusRabwWzMCBDcm0-9qtigEFP',
  longs: `${DIFF_LONGS} ${LOG_LONGS}`,
  values: `${DIFF_VALUES} n max-count skip since after until before author committer grep`,
}
const HELP = 'help verbose quiet'

export const gitCommands: Readonly<Record<string, GitCommand>> = {
  status: {
    flags: 'sbvzM',
    optional: 'u M',
    longs: `short branch show-stash porcelain long verbose untracked-files ignore-submodules ignored null column no-column
      ahead-behind no-ahead-behind renames no-renames find-renames`,
  },
  diff: DIFF,
  log: LOG,
  show: LOG,
  whatchanged: LOG,
  'rev-list': {
    ...LOG,
    longs: `${LOG.longs ?? ''} objects timestamp header bisect disk-usage in-commit-order`,
  },
  'diff-tree': {
    ...LOG,
    flags: `${LOG.flags ?? ''}r`,
    longs: `${LOG.longs ?? ''} no-commit-id root always pretty`,
  },
  'diff-index': DIFF,
  'diff-files': DIFF,
  'range-diff': LOG,
  shortlog: { ...LOG, flags: 'nsecw0-9', longs: `${LOG.longs ?? ''} numbered summary email group committer` },
  reflog: { sub: { '': LOG, show: LOG, exists: {} } },
  blame: {
    flags: 'bclrtfnspewhMC0-9',
    longs: `root show-stats porcelain line-porcelain incremental show-name show-number show-email score-debug progress
      no-progress color-lines color-by-age minimal ignore-rev`,
    values: 'L S date ignore-rev',
    reads: 'contents ignore-revs-file',
  },
  grep: {
    flags: 'aiIwvhHEGPFnlLzoqcpWr0-9',
    longs: `cached untracked text ignore-case word-regexp invert-match full-name extended-regexp basic-regexp
      perl-regexp fixed-strings line-number column files-with-matches name-only files-without-match null only-matching
      count color no-color break heading show-function function-context all-match and or not quiet recurse-submodules
      recursive no-recursive exclude-standard no-exclude-standard threads max-depth`,
    values: 'A B C e m max-depth threads max-count after-context before-context context',
    reads: 'f',
    text: true,
  },
  'ls-files': {
    flags: 'cdmoiskutvfzx',
    longs: `cached deleted modified others ignored stage killed directory no-empty-directory unmerged exclude-standard
      error-unmatch full-name recurse-submodules abbrev debug eol deduplicate sparse format resolve-undo`,
    values: 'x exclude with-tree',
    reads: 'X exclude-from',
  },
  'ls-tree': {
    flags: 'drtlz',
    longs: 'long name-only name-status object-only full-name full-tree abbrev format',
  },
  'cat-file': { flags: 'tspe', longs: 'batch batch-check batch-all-objects unordered buffer', text: false },
  'rev-parse': { any: true, text: true },
  'merge-base': { flags: 'a', longs: 'all octopus is-ancestor independent fork-point', text: true },
  'name-rev': { longs: 'tags refs all name-only always', text: true },
  describe: {
    longs:
      'all tags contains abbrev candidates exact-match debug long match exclude always first-parent dirty broken',
    text: true,
  },
  'for-each-ref': {
    longs: 'count sort format points-at merged no-merged contains no-contains ignore-case',
    values: 'count sort format',
    text: true,
  },
  'show-ref': {
    flags: 'sdqh',
    longs: 'head heads tags branches dereference hash verify abbrev quiet exists',
    text: true,
  },
  'symbolic-ref': { flags: 'q', longs: 'short quiet', text: true },
  'count-objects': { flags: 'vH', longs: 'verbose human-readable' },
  'check-ignore': { flags: 'qvzn', longs: 'quiet verbose stdin non-matching no-index' },
  'check-attr': { flags: 'az', longs: 'all stdin cached source' },
  'verify-commit': { flags: 'v', longs: 'verbose raw', text: true },
  cherry: { flags: 'v', longs: 'abbrev', text: true },
  version: { longs: 'build-options', text: true },
  help: { flags: 'ag', longs: 'all guides verbose', text: true },
  branch: {
    flags: 'arvldDmMcCftuqi',
    longs: `list all remotes verbose show-current contains no-contains merged no-merged sort points-at format color no-color
      column no-column delete move copy force track no-track set-upstream-to unset-upstream quiet ignore-case abbrev
      create-reflog`,
    values: 'sort format u set-upstream-to',
    text: true,
  },
  tag: {
    flags: 'lnadfiv0-9',
    longs: `list sort contains no-contains merged no-merged points-at format color column ignore-case annotate delete force
      verify create-reflog`,
    values: 'm message sort format',
    text: true,
  },
  remote: {
    sub: { '': { flags: 'v', longs: 'verbose' }, show: { flags: 'n' }, 'get-url': { longs: 'push all' } },
    text: true,
  },
  config: {
    only: '--get --get-all --get-regexp --get-urlmatch --list -l list get',
    sub: {
      '': {
        flags: 'lz',
        longs: `get get-all get-regexp list show-origin show-scope name-only null local global system worktree bool int type default includes no-includes`,
      },
      list: { longs: 'show-origin show-scope name-only local global system' },
      get: { longs: 'all regexp show-origin show-scope local global system default' },
    },
    text: true,
  },
  stash: {
    sub: {
      '': { flags: 'kuaqSp', longs: 'keep-index no-keep-index include-untracked all quiet staged patch' },
      push: {
        flags: 'kuaqSp',
        longs: 'keep-index no-keep-index include-untracked all quiet staged patch',
        values: 'm message',
      },
      save: { flags: 'kuaq', longs: 'keep-index include-untracked all quiet' },
      list: LOG,
      show: { ...LOG, longs: `${LOG.longs ?? ''} include-untracked only-untracked` },
      pop: { flags: 'q', longs: 'index quiet' },
      apply: { flags: 'q', longs: 'index quiet' },
      drop: { flags: 'q', longs: 'quiet' },
      clear: {},
      branch: {},
      create: {},
    },
    text: true,
  },
  worktree: {
    sub: {
      list: { flags: 'vz', longs: 'verbose porcelain' },
      prune: { flags: 'nv', longs: 'dry-run verbose expire' },
    },
    text: true,
  },
  submodule: {
    sub: { '': { flags: 'q' }, status: { longs: 'cached recursive' }, summary: { longs: 'cached files' } },
    text: true,
  },
  bisect: {
    sub: { start: {}, good: {}, bad: {}, skip: {}, reset: {}, log: {}, view: {}, visualize: {} },
    text: true,
  },
  notes: { sub: { '': {}, list: {}, show: {} }, text: true },
  add: {
    flags: 'nvfuANp',
    longs: `dry-run verbose force update all no-all ignore-removal no-ignore-removal intent-to-add refresh ignore-errors
      ignore-missing renormalize chmod sparse patch`,
    changes: false,
  },
  commit: {
    flags: 'aqvsnupz',
    longs: `all amend no-edit quiet verbose signoff no-signoff allow-empty allow-empty-message no-verify dry-run short branch
      porcelain long null status no-status reset-author untracked-files only include patch no-gpg-sign no-post-rewrite`,
    values: 'm C c message author date fixup squash cleanup trailer reuse-message reedit-message',
    reads: 'F t file template pathspec-from-file',
  },
  checkout: {
    flags: 'bBqfmtdp',
    longs: `quiet force track no-track detach ours theirs merge patch progress no-progress guess no-guess
      overwrite-ignore recurse-submodules orphan`,
    values: 'conflict orphan',
    changes: true,
  },
  switch: {
    flags: 'cCdfmqt',
    longs:
      'create force-create detach force merge quiet track no-track guess no-guess progress discard-changes orphan',
    text: true,
  },
  restore: {
    flags: 'sSWpqm',
    longs: 'staged worktree source patch quiet ours theirs merge progress ignore-unmerged overlay no-overlay',
    values: 's source conflict',
    changes: true,
  },
  reset: {
    flags: 'qpN',
    longs: 'soft mixed hard merge keep quiet no-quiet patch refresh no-refresh intent-to-add',
    changes: true,
  },
  rm: { flags: 'rfnq', longs: 'cached force dry-run quiet ignore-unmatch sparse', changes: true },
  mv: { flags: 'fknv', longs: 'force dry-run verbose sparse', changes: true },
  clean: { flags: 'nqdxX', longs: 'dry-run quiet', values: 'e exclude' },
  merge: {
    flags: 'nqv',
    longs:
      'ff no-ff ff-only squash no-squash commit no-commit no-edit stat no-stat log abort continue quit verbose quiet',
    values: 'm message',
    text: true,
  },
  rebase: {
    flags: 'qvnf',
    longs:
      'onto abort continue skip quit autostash no-autostash autosquash no-autosquash quiet verbose stat no-stat force-rebase keep-base',
    values: 'onto',
    text: true,
  },
  'cherry-pick': {
    flags: 'nxe',
    longs: 'no-commit abort continue skip quit ff allow-empty keep-redundant-commits',
    values: 'm mainline',
    text: true,
  },
  revert: {
    flags: 'nx',
    longs: 'no-commit no-edit abort continue skip quit',
    values: 'm mainline',
    text: true,
  },
  pull: {
    flags: 'qvrnt',
    longs: `rebase no-rebase ff no-ff ff-only quiet verbose tags no-tags prune all autostash no-autostash stat no-stat depth no-edit`,
    text: true,
    remote: true,
  },
  fetch: {
    flags: 'aqvptnfku46',
    longs: `all quiet verbose prune prune-tags tags no-tags depth unshallow dry-run force atomic keep progress no-progress ipv4 ipv6 jobs multiple`,
    values: 'j depth jobs',
    text: true,
    remote: true,
  },
  push: {
    flags: 'qvunf46d',
    longs: `all branches tags follow-tags delete dry-run porcelain force force-with-lease force-if-includes set-upstream quiet verbose progress no-progress atomic prune mirror no-verify ${HELP}`,
    text: true,
    remote: true,
  },
  'ls-remote': {
    flags: 'htq',
    longs: 'heads tags branches refs quiet exit-code get-url symref sort',
    text: true,
    remote: true,
  },
  clone: {
    flags: 'qvnls46',
    longs: `quiet verbose no-checkout bare mirror depth single-branch no-single-branch no-tags shallow-since progress no-hardlinks`,
    values: 'b o branch origin depth',
    text: true,
    remote: true,
    makes: true,
  },
  init: { flags: 'q', longs: 'quiet bare', values: 'b initial-branch' },
  fsck: { longs: 'full strict lost-found unreachable dangling no-dangling verbose progress' },
  gc: { longs: 'auto aggressive quiet prune no-prune' },
}

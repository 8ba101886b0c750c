/** Alternative names under which programs are installed. */
const SAME: Readonly<Record<string, string>> = Object.fromEntries(
  `fd fdfind
  bat batcat
  find bfs
  vim vi vimdiff view rvim rview gvim gvimdiff gview rgvim rgview evim eview vimx vimtutor nvi
  nvim nvimdiff
  emacs emacsclient
  ugrep ug ugrep+ ug+
  rg rga
  nc netcat
  pytest py.test
  pip pipx-pip
  gcc g++ c++
  clang clang++
  awk original-awk
  grep zgrep zegrep zfgrep bzgrep bzegrep bzfgrep xzgrep xzegrep xzfgrep lzgrep zstdgrep
  zstd zstdmt unzstd zstdcat pzstd
  xz unxz lzma unlzma
  bzip2 bunzip2 pbzip2
  lz4 unlz4 lz4cat lz4c
  gzip pigz
  less zless bzless xzless
  more zmore bzmore xzmore
  ksh lksh
  sh posh yash
  tmux byobu
  tsc tsgo`
    .split('\n')
    .flatMap((line) => {
      const [name = '', ...others] = line.trim().split(/\s+/)
      return others.map((other) => [other, name])
    }),
)

/** Programs that may be links to one another: a rule against one applies to all. */
const FAMILIES: readonly (readonly string[])[] = [
  ['python', 'python3'],
  ['pip', 'pip3'],
  ['node', 'nodejs'],
  ['vim', 'vi'],
  ['awk', 'gawk', 'mawk', 'nawk'],
  ['fd', 'fdfind'],
  ['bat', 'batcat'],
  ['nc', 'ncat', 'netcat'],
  ['make', 'gmake'],
  ['tar', 'gtar', 'bsdtar'],
  ['sed', 'gsed'],
]

const FLAVOUR = /\.(basic|tiny|nox|gtk\d?|athena|small|huge|openbsd|traditional|static|distrib|real|exe)$/
const TARGET = /^(?:\w+-)+linux-\w+-(?=[\w+]+$)/

/**
 * The name by which the tables list a program: `fdfind` is `fd`, `vim.tiny` is `vim`, `gsed` is `sed`, `pip3.11` is
 * `pip`. `isListed`: whether a table has the name.
 */
export function listedName(program: string, isListed: (name: string) => boolean): string {
  if (Object.hasOwn(SAME, program)) return SAME[program] ?? program
  if (isListed(program)) return program
  const plain = program.replace(FLAVOUR, '').replace(TARGET, '')
  const names = [plain, withoutVersion(plain)].flatMap((name) => [
    Object.hasOwn(SAME, name) ? (SAME[name] ?? name) : name,
    ...(name.startsWith('g') ? [name.slice(1)] : []),
  ])
  return names.find((name) => name !== '' && isListed(name)) ?? program
}

/** `pip-3.11` is `pip`. */
function withoutVersion(name: string): string {
  let from = withoutDigits(name).length
  while (name[from] === '.') from++
  if (from === name.length) return name
  return name.slice(0, name[from - 1] === '-' ? from - 1 : from)
}

/** Strips digits and dots from the end in linear time; a regular expression would backtrack at each of them. */
export function withoutDigits(name: string): string {
  let end = name.length
  while (end > 0 && '0123456789.'.includes(name[end - 1]!)) end--
  return name.slice(0, end)
}

/** Other names of the same program, for deny and ask rules. */
export function otherNames(program: string, listed: string): readonly string[] {
  const whole = program.replace(FLAVOUR, '')
  const plain = withoutDigits(whole) || whole
  const names = [program, plain, listed]
  const families = FAMILIES.filter((family) => names.some((name) => family.includes(name)))
  return [...new Set([plain, listed, ...families.flat()])].filter((name) => name !== program)
}

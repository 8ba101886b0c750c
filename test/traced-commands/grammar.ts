import { between, pick } from '../kill/random.ts'

/** Draws command lines: of programs and files of the lane's workspace, and of the shell's grammar around them. */
export class Grammar {
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  line(): string {
    return this.#chance(0.62) ? this.#simple() : this.#compound()
  }

  #chance(part: number): boolean {
    return this.#random() < part
  }

  #pick<T>(list: readonly T[]): T {
    return pick(this.#random, list)
  }

  #compound(depth = 0): string {
    const part = () => (depth < 2 && this.#chance(0.25) ? this.#compound(depth + 1) : this.#simple())
    const forms: readonly (() => string)[] = [
      () => `${part()} && ${part()}`,
      () => `${part()} || ${part()}`,
      () => `${part()}; ${part()}`,
      () => `${part()} | ${this.#filter()}`,
      () => `${part()} | ${this.#filter()} | ${this.#filter()}`,
      () => `(${part()})`,
      () => `{ ${part()}; }`,
      () => `! ${part()}`,
      () => `if ${part()}; then ${part()}; else ${part()}; fi`,
      () => `for f in ${this.#file()} ${this.#file()}; do ${this.#onFile('"$f"')}; done`,
      () =>
        `f=${this.#file()}; ${this.#onFile(this.#pick(['$f', '"$f"', '"${f}"', '"${f%x}"', '${f##*/}']))}`,
      () => `${this.#lister()} | while read f; do ${this.#onFile('"$f"')}; done`,
      () =>
        `${this.#lister()} | xargs -r ${this.#pick(['', '-n1 ', '-I{} '])}${this.#onFile('{}').replace(/ ?\{\}/, this.#chance(0.5) ? ' {}' : '')}`,
      () => `cd ${this.#directory()} && ${part()}`,
      () => `(cd ${this.#directory()}; ${part()}); ${part()}`,
      () => `case x in x) ${part()};; esac`,
      () => `function g { ${part()}; }; g`,
      () => `echo "$(${part()})"`,
      () => `${this.#onFile(`$(echo ${this.#file()})`)}`,
      () => `${this.#onFile(`$(${this.#lister()})`)}`,
      () => `cat <(${part()})`,
    ]
    return this.#pick(forms)()
  }

  #simple(): string {
    const forms: readonly (() => string)[] = [
      () => this.#onFile(this.#file()),
      () => this.#onFile(this.#file()),
      () => this.#changes(),
      () => this.#changes(),
      () => this.#lister(),
      () => this.#redirected(),
      () => this.#wrapped(),
      () => this.#find(),
      () => this.#git(),
      () => this.#archive(),
      () => this.#code(),
      () => this.#here(),
      () => this.#network(),
      () => this.#script(),
    ]
    return this.#pick(forms)()
  }

  #filter(): string {
    return this.#pick([
      'cat',
      'head -n 1',
      'sort -u',
      'wc -c',
      'grep a',
      'sed s/a/b/',
      `tee ${this.#target()}`,
      'xargs ls',
      'xargs -n1 cat',
      'sh',
      'tr a b',
      `xargs -I{} cp {} ${this.#target()}`,
      `while read x; do echo "$x" >> ${this.#target()}; done`,
      `sort -o ${this.#target()}`,
    ])
  }

  #onFile(file: string): string {
    const programs = [
      'cat',
      'head -n 2',
      'tail -n1',
      'wc -l',
      'sort',
      'grep -c a',
      'grep -rn a',
      'sed -n 1p',
      "sed 's/a/b/'",
      "awk '{print $1}'",
      'ls -la',
      'stat',
      'md5sum',
      'cut -c1-3',
      'cat -n --',
      'diff README.md',
      'cmp README.md',
      'od -c',
      'base64',
      'file',
      'du -a',
      'test -f',
      '[ -e',
      'realpath',
      'strings',
      'nl',
      'tac',
      'uniq',
      'fold -w 20',
      'comm README.md',
      'touch',
      'rm -f',
      'source',
      'dd status=none if=README.md of=',
      'tee -a',
    ]
    const program = this.#pick(programs)
    if (program === '[ -e') return `[ -e ${file} ]`
    return program.endsWith('=') ? `${program}${file}` : `${program} ${file}`
  }

  #changes(): string {
    const [a, b] = [this.#file(), this.#target()]
    return this.#pick([
      `cp ${a} ${b}`,
      `cp -r ${this.#directory()} ${b}`,
      `cp -t ${this.#directory()} ${a}`,
      `cp -a ${a} ${b}`,
      `mv ${a} ${b}`,
      `mv -t ${this.#directory()} ${a}`,
      `ln -s ${a} ${b}`,
      `ln ${a} ${b}`,
      `ln -sf ${a} ${b}`,
      `rm ${a}`,
      `rm -rf ${this.#directory()}`,
      `rmdir ${this.#directory()}`,
      `mkdir ${b}`,
      `mkdir -p ${b}/x/y`,
      `touch ${b}`,
      `touch ${b} ${this.#target()}`,
      `truncate -s 0 ${b}`,
      `chmod +x ${a}`,
      `chmod -R u+r ${this.#directory()}`,
      `sed -i s/a/b/ ${a}`,
      `sed -i.bak s/a/b/ ${a}`,
      `sed -n 'w ${b}' ${a}`,
      `install -m 600 ${a} ${b}`,
      `split -l 1 ${a} ${b}`,
      `sort -o ${b} ${a}`,
      `sort ${a} --output=${b}`,
      `dd if=${a} of=${b} status=none`,
      `patch ${a} < src/change.patch`,
      `unlink ${a}`,
      `rename a b ${a}`,
      `shred -u ${a}`,
      `perl -pi -e s/a/b/ ${a}`,
      `csplit -s ${a} 1`,
      `uniq ${a} ${b}`,
      `tee ${b} < ${a}`,
      `awk '{print > "${b}"}' ${a}`,
      `awk '{ system("cat ${b}") }' ${a}`,
    ])
  }

  #lister(): string {
    const directory = this.#directory()
    return this.#pick([
      `ls ${directory}`,
      `ls -A ${directory}`,
      `ls -R ${directory}`,
      `find ${directory} -type f`,
      `find ${directory} -name '${this.#pick(['*.ts', '.e*', 'id_*', '*', '*.md'])}'`,
      `grep -rl a ${directory}`,
      `grep -r a ${directory} --include=${this.#pick(['*.ts', '*.env', '.*'])}`,
      `echo ${this.#file()}`,
      `printf '%s\\n' ${this.#file()}`,
      `git ls-files`,
      `dir ${directory}`,
      `tree ${directory}`,
    ])
  }

  #redirected(): string {
    const to = this.#target()
    return this.#pick([
      `echo a > ${to}`,
      `echo a >> ${to}`,
      `echo a >| ${to}`,
      `echo a &> ${to}`,
      `cat < ${this.#file()}`,
      `cat < ${this.#file()} > ${to}`,
      `: > ${to}`,
      `> ${to}`,
      `exec 3> ${to}; echo a >&3`,
      `exec 3<> ${to}; cat <&3`,
      `echo a 2> ${to} > /dev/null`,
      `cat ${this.#file()} 2>&1 > ${to}`,
      `read x < ${this.#file()}; echo "$x"`,
      `mapfile -t x < ${this.#file()}; echo "\${x[0]}"`,
      `echo "$(< ${this.#file()})"`,
      `printf a | tee ${to}`,
      `cat ${this.#file()} | tee ${to} | wc -l`,
      `{ echo a; echo b; } > ${to}`,
      `(echo a) >> ${to}`,
      `for i in 1 2; do echo $i; done > ${to}`,
      `x=${to}; echo a > "$x"`,
      `echo a > ${this.#directory()}/../${this.#pick(['new.txt', 'src/new.ts', '.env'])}`,
    ])
  }

  #wrapped(): string {
    const inner = this.#chance(0.5) ? this.#onFile(this.#file()) : this.#changes()
    const quoted = `'${inner.replaceAll("'", `'\\''`)}'`
    return this.#pick([
      `env A=1 ${inner}`,
      `env -i ${inner}`,
      `env -C ${this.#directory()} ${inner}`,
      `timeout 5 ${inner}`,
      `nice -n 5 ${inner}`,
      `nohup ${inner}`,
      `command ${inner}`,
      `exec ${inner}`,
      `time ${inner}`,
      `stdbuf -o0 ${inner}`,
      `setsid -w ${inner}`,
      `sh -c ${quoted}`,
      `bash -c ${quoted}`,
      `bash -ec ${quoted} x y`,
      `eval ${quoted}`,
      `eval "${inner.replaceAll(/["$\\`]/g, '\\$&')}"`,
      `xargs ${inner} < /dev/null`,
      `echo x | xargs -I{} ${inner}`,
      `trap ${quoted} EXIT`,
      `A=1 B=2 ${inner}`,
      `\\${inner}`,
      `'${inner.split(' ', 1)[0]}'${inner.slice(inner.split(' ', 1)[0]!.length)}`,
      `/usr/bin/${inner}`,
      `script -qc ${quoted} /dev/null`,
      `flock src/lock ${inner}`,
    ])
  }

  #find(): string {
    const inner = this.#onFile('{}')
    const names = this.#pick(['*.ts', '*.md', '.e*', 'id_*', '*', 'a*', '?.ts'])
    return this.#pick([
      `find ${this.#directory()} -name '${names}' -exec ${inner} \\;`,
      `find ${this.#directory()} -type f -name '${names}' -exec ${inner} {} +`,
      `find ${this.#directory()} -name '${names}' -execdir ${inner} \\;`,
      `find ${this.#directory()} -name '${names}' -delete`,
      `find ${this.#directory()} -name '${names}' -print0 | xargs -r0 ${inner.replace(' {}', '')}`,
      `find ${this.#directory()} -name '${names}' -fprint ${this.#target()}`,
      `find ${this.#directory()} -newer ${this.#file()}`,
      `find -L ${this.#directory()} -name '${names}' -exec ${inner} \\;`,
      `find ${this.#directory()} -name '${names}' -exec sh -c '${this.#onFile('"$1"').replaceAll("'", '')}' _ {} \\;`,
    ])
  }

  #git(): string {
    return this.#pick([
      'git status --short',
      'git log --oneline -3',
      'git diff',
      `git diff --no-index README.md ${this.#file()}`,
      `git add ${this.#file()}`,
      'git add -A',
      'git commit -qam x',
      `git -c user.name=a -c user.email=a@b commit -q --allow-empty -m ${this.#pick(['x', "'a b'"])}`,
      `git show HEAD:${this.#pick(['README.md', 'src/a.ts', '.env'])}`,
      `git checkout -q -- ${this.#file()}`,
      'git checkout -q -b other',
      'git branch -a',
      'git stash -q',
      'git tag t',
      'git config user.name',
      'git config core.fsmonitor evil',
      'git remote -v',
      `git grep -n a`,
      `git grep --no-index a ${this.#directory()}`,
      `git rm -q ${this.#file()}`,
      `git mv ${this.#file()} ${this.#target()}`,
      `git archive -o ${this.#target()} HEAD`,
      `git apply src/change.patch`,
      `git hash-object ${this.#file()}`,
      `git -C ${this.#directory()} status`,
      `git blame ${this.#file()}`,
      'git clean -fdq',
      'git gc -q',
      'git fetch -q',
      `git ls-files | xargs -r wc -l`,
      `git diff --output=${this.#target()}`,
      `git clone -q . ${this.#target()}`,
      `git log -p -- ${this.#file()}`,
    ])
  }

  #archive(): string {
    return this.#pick([
      `tar cf ${this.#target()} ${this.#file()}`,
      `tar czf ${this.#target()} ${this.#directory()}`,
      `tar cf - ${this.#directory()} | tar tf -`,
      `tar cf - ${this.#file()} | tar xf - -C ${this.#directory()}`,
      `tar xf src/packed.tar`,
      `tar xf src/packed.tar -C ${this.#directory()}`,
      `tar tf src/packed.tar`,
      `tar cf ${this.#target()} -C ${this.#directory()} .`,
      `tar cf /dev/null --exclude=.env .`,
      `gzip -k ${this.#file()}`,
      `gzip -c ${this.#file()} > ${this.#target()}`,
      `gunzip -c ${this.#file()}`,
      `xz -k ${this.#file()}`,
    ])
  }

  #code(): string {
    const [a, b] = [this.#plain(), this.#plain()]
    return this.#pick([
      `python3 -c 'print(open("${a}").read())'`,
      `python3 -c 'open("${b}", "w").write("a")'`,
      `python3 -c 'import os; os.rename("${a}", "${b}")'`,
      `python3 -c 'import subprocess; subprocess.run(["cat", "${a}"])'`,
      `python3 -c 'import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])' ${this.#file()} ${this.#target()}`,
      `node -e 'console.log(require("fs").readFileSync("${a}", "utf8"))'`,
      `node -e 'require("fs").writeFileSync("${b}", "a")'`,
      `perl -e 'print 1'`,
      `perl -ne print ${this.#file()}`,
      `perl -e 'unlink "${a}"'`,
      `python3 src/run.py`,
      `python3 - < src/run.py`,
      `echo 'print(1)' | python3`,
      `python3 -m json.tool ${this.#file()}`,
      `awk 'BEGIN { while ((getline x < "${a}") > 0) print x }'`,
      `awk 'BEGIN { print "a" > "${b}" }'`,
    ])
  }

  #here(): string {
    const end = this.#pick(['X', "'X'"])
    const body = this.#pick(['a', '$(cat README.md)', `$(cat ${this.#file()})`, `$f`, '`ls`'])
    return this.#pick([
      `cat <<${end}\n${body}\nX`,
      `cat > ${this.#target()} <<${end}\n${body}\nX`,
      `tee ${this.#target()} <<${end}\n${body}\nX`,
      `sh <<${end}\n${this.#onFile(this.#file())}\nX`,
      `bash -s <<${end}\n${this.#changes()}\nX`,
      `cat <<< ${this.#file()}`,
      `xargs cat <<< ${this.#file()}`,
      `xargs -n1 ls <<${end}\n${this.#file()}\nX`,
      `sh <<< ${`'${this.#onFile(this.#file()).replaceAll("'", '')}'`}`,
    ])
  }

  #network(): string {
    return this.#pick([
      'curl -s --max-time 2 http://127.0.0.1:9/',
      'curl -s --max-time 2 http://example.com/',
      "curl -s --noproxy '*' --max-time 2 http://192.0.2.1/",
      `curl -s --max-time 2 -o ${this.#target()} http://127.0.0.1:9/`,
      `curl -s file://$PWD/${this.#plain()}`,
      `curl -s -T ${this.#file()} --max-time 2 http://127.0.0.1:9/`,
      `curl -s -K ${this.#file()}`,
      `curl -s --max-time 2 -d @${this.#plain()} http://127.0.0.1:9/`,
      ': < /dev/tcp/127.0.0.1/9',
      ': < /dev/tcp/192.0.2.1/80',
      'getent hosts localhost',
      'git ls-remote http://127.0.0.1:9/x',
    ])
  }

  #script(): string {
    return this.#pick([
      'sh src/run.sh',
      './src/run.sh',
      'bash src/run.sh',
      '. src/run.sh',
      'source ./src/run.sh',
      'make -s -f src/Makefile',
      'make -s -f src/Makefile evil',
      'cat src/run.sh | sh',
      'PATH=$PWD/src:$PATH run.sh',
      'chmod +x src/run.sh && src/run.sh',
      `cp /bin/cat src/own && src/own ${this.#file()}`,
      `cp src/run.sh /tmp/run.sh; sh /tmp/run.sh`,
      'BASH_ENV=src/run.sh bash -c true',
      'pwd; whoami; date; uname -a',
      'echo $((1 + 2)) ${HOME} ~',
      'seq 3 | sort -r | head -1',
      'sleep 0.01',
      'true',
    ])
  }

  #plain(): string {
    return this.#pick(this.#chance(0.8) ? PLAIN : SPECIAL)
  }

  /** As it could stand in a command line. */
  #file(): string {
    const random = this.#random()
    if (random < 0.52) return this.#quoted(this.#pick(PLAIN))
    if (random < 0.7) return this.#pick(GLOBS)
    return this.#chance(0.8) ? this.#pick(SPECIAL) : this.#quoted(this.#pick(SPECIAL))
  }

  #directory(): string {
    return this.#pick(this.#chance(0.7) ? DIRECTORIES : SPECIAL_DIRECTORIES)
  }

  /** Of something that is written. */
  #target(): string {
    const random = this.#random()
    if (random < 0.6) return this.#quoted(this.#pick(NEW))
    return random < 0.8 ? this.#file() : this.#pick(SPECIAL)
  }

  #quoted(path: string): string {
    const cut = between(this.#random, 0, path.length)
    if (path.includes(' ')) return this.#pick([`'${path}'`, `"${path}"`, path.replaceAll(' ', '\\ ')])
    return this.#pick([
      path,
      path,
      path,
      `./${path}`,
      `'${path}'`,
      `"${path}"`,
      `${path.slice(0, cut)}''${path.slice(cut)}`,
      `"$PWD/${path}"`,
      `src/../${path}`,
      `{${path},README.md}`,
    ])
  }
}

const PLAIN = [
  'README.md',
  'notes.txt',
  'src/a.ts',
  'src/b.ts',
  'src/sub/deep.ts',
  'docs/guide.md',
  'with space.txt',
  'link_in/a.ts',
  'link_file',
]
const GLOBS = [
  'src/*.ts',
  '*.md',
  'src/sub/*',
  'src/{a,b}.ts',
  '?EADME.md',
  'src/[ab].ts',
  '*',
  '.[e-f]*',
  '.e*',
  'c*/id_*',
  'config/*',
  'src/p*/*',
  '*/*.ts',
  '$f',
  '"$1"',
  'link_*/*',
  '/tmp/*',
  '~/*',
  '$HOME/n*',
]
/** No device: what a cell of root changes of one, it changes of the machine. */
const SPECIAL = [
  '.env',
  './.env',
  '"./.e"nv',
  'config/id_rsa',
  'src/private/key.txt',
  'src/../.env',
  'link_secret',
  'link_git/pre-commit',
  'link_tmp/x.txt',
  'link_home/notes',
  '.git/hooks/pre-commit',
  '.git/config',
  '.git/HEAD',
  'offshoot.jsonc',
  '.offshoot/agents/a.md',
  '.claude/settings.json',
  '.github/agents/a.md',
  '.vscode/tasks.json',
  '/tmp/x.txt',
  '/tmp/new',
  '/tmp/l/a',
  '/var/tmp/new',
  '/etc/hosts',
  '/proc/self/environ',
  '/proc/self/cwd/.env',
  '/dev/fd/0',
  '~/notes',
  '~/.bashrc',
  '~/.ssh/id_rsa',
  '$HOME/notes',
  '${HOME}/.ssh/id_rsa',
  '../beside',
  '../work/.env',
  '../../x',
  '/',
]
const NEW = ['new.txt', 'src/new.ts', 'out/a', 'docs/new.md', 'src/a.ts', 'notes.txt', 'src/sub/new']
const DIRECTORIES = ['src', 'src/sub', 'docs', '.', './src', 'link_in', 'src/..', '"$PWD"']
const SPECIAL_DIRECTORIES = [
  'config',
  'src/private',
  '.git',
  '.git/hooks',
  '/tmp',
  '..',
  '~',
  '/',
  '.offshoot',
  'link_home',
  'link_tmp',
  'link_git',
  '/etc',
  '$HOME',
  '/proc/self/cwd',
]

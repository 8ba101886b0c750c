import type { ToolEntry } from './tool-entry.ts'

/** Programs for containers, editors, services and text. */
export const systemTools: Readonly<Record<string, ToolEntry>> = {
  docker: {
    commands:
      'run exec build buildx compose cp create start commit import load plugin context swarm service stack container system volume save',
    options: '-H --host --config -c --context --tlscacert',
  },
  podman: {
    commands: 'run exec build cp create start commit import load machine container system volume save',
  },
  kubectl: {
    commands:
      'exec run apply create delete edit patch replace cp debug attach proxy port-forward plugin config',
    options: '--kubeconfig --server -s --token --as --cluster --context --user',
  },
  gh: {
    commands: 'alias extension ext config auth api codespace cs secret ssh-key gpg-key variable',
    options: '--editor -e --method --input --raw-field --field',
  },
  hg: { options: '--config --cwd -R --repository --config-file --debugger' },
  svn: { options: '--config-dir --config-option --editor-cmd --diff-cmd --diff3-cmd' },
  vim: {
    options: '-c -S -s -w -W -u -U -i -r -T --cmd... --startuptime... --remote... --servername... -P... +...',
  },
  nvim: { options: '-c -S -s -w -W -u -i -l --cmd... +... --listen' },
  emacs: { options: '--eval -l --load -f --funcall --batch --script -x --execute' },
  ack: { options: '--pager --output --ackrc --files-from --env -x', searches: 'hidden' },
  ag: { options: '--pager -p --path-to-ignore', searches: 'plain' },
  pt: { searches: 'plain' },
  sift: { options: '-o --output --conf --write-config -f --filename-from', searches: 'hidden' },
  ugrep: {
    options:
      '--filter... --pager... --view... --config... ---... -Q... --query... --save-config... -f --file --from --tee -+',
    searches: 'plain',
  },
  rga: { options: '--pre... --rga-adapters... --rga-config... --hostname-bin...', searches: 'plain' },
  fzf: {
    options:
      '--preview... --bind... --listen... --history... --with-shell... --tmux... --become... --walker-root... --hook...',
    searches: 'hidden',
  },
  sk: {
    options: '--preview... --bind... --cmd -c --history... --pre-select-file -i --interactive',
    searches: 'hidden',
  },
  ptx: { options: '-G --traditional' },
  journalctl: {
    options:
      '--vacuum... --rotate --flush --sync --relinquish... --smart-relinquish... --cursor-file --setup-keys --update-catalog -M... --machine -D... --directory --file --root --image --header',
  },
  systemctl: {
    options: '-H --host -M --machine --root --image --firmware-setup',
    commands:
      'start stop restart reload enable disable mask unmask edit link set-property kill daemon-reload reboot poweroff halt isolate set-environment import-environment',
  },
  terraform: {
    single: true,
    options:
      '-out... -state-out... -write... -generate-config-out... -chdir... -state... -backup... -plugin-dir... -auto-approve... -recursive=false... -destroy',
    commands: 'apply destroy import init console taint untaint force-unlock login logout',
  },
  tofu: {
    single: true,
    options:
      '-out... -state-out... -write... -generate-config-out... -chdir... -state... -backup... -plugin-dir... -auto-approve... -destroy',
    commands: 'apply destroy import init console taint untaint force-unlock login logout',
  },
  helm: {
    options:
      '--post-renderer... --output-dir --kubeconfig --kube-apiserver --kube-token --kube-as... --kube-ca-file --registry-config --repository-config --repository-cache --keyring --registry-cache --set-file',
    commands:
      'install upgrade uninstall delete rollback plugin push registry repo package create pull dependency',
  },
  aws: { options: '--endpoint-url --cli-input-json --cli-input-yaml --ca-bundle --no-verify-ssl' },
  ss: { options: '-K --kill -D --diag -F --filter' },
  nm: { options: '--plugin...' },
  ar: { options: '--plugin... --output... --target...' },
  ranlib: { options: '--plugin...' },
  ld: { options: '-plugin... --plugin... -o... --output... -T... --script... -dynamic-linker... -c... @...' },
  as: { options: '-o -MD...' },
  objcopy: { options: '--plugin... --dump-section... --add-section... --split-dwo...' },
  pax: { searches: 'hidden' },
  ctags: {
    searches: 'hidden',
    options: '--options... -f... -o... --output... --filter... -L... -_xformat... --_...',
  },
  enscript: { options: '--filter... -p... --output... -I... -P... -o...' },
  a2ps: { options: '--output -o -P --printer -d --user-option --delegate --prologue' },
  info: { options: '-o --output --init-file --restore --dribble' },
  mail: { options: '-A -a -S -f --attach --exec -e' },
  mutt: { options: '-e -F -a -i -H' },
  xterm: { commands: '*' },
  'gnome-terminal': { commands: '*' },
  konsole: { commands: '*' },
  'x-terminal-emulator': { commands: '*' },
  kitty: { commands: '*' },
  alacritty: { commands: '*' },
  wezterm: { commands: '*' },
  ffmpeg: { single: true, options: '-y -init_hw_device -filter_script... -dump_attachment... -report' },
  latexmk: {
    single: true,
    options:
      '-e -r -pdflatex... -latex... -xelatex... -shell-escape... -auxdir... -outdir... -c -C -usepretex...',
  },
  pdflatex: {
    single: true,
    options: '-shell-escape --shell-escape -enable-write18 -output-directory... -jobname... -output-comment',
  },
  xelatex: { single: true, options: '-shell-escape -enable-write18 -output-directory... -jobname...' },
  lualatex: {
    single: true,
    options: '-shell-escape -enable-write18 -output-directory... -jobname... -lua...',
  },
  gs: { options: '-o -sOutputFile... -dNOSAFER -c -f -dDELAYSAFER' },
  qemu: { commands: '*' },
  'qemu-system-x86_64': { commands: '*' },
  timeit: { commands: '*' },
  pdb: { commands: '*' },
  cProfile: { options: '-o -m', commands: '*' },
  profile: { options: '-o', commands: '*' },
  trace: { commands: '*' },
  runpy: { commands: '*' },
  code: { commands: '*' },
  venv: { options: '--clear --upgrade' },
  zipfile: { options: '-e --extract -c --create' },
  tarfile: { options: '-e --extract -c --create' },
  dd: {},
  newgrp: { commands: '*' },
  patch: { options: '-o --output -r --reject-file -d --directory -B -z' },
  pip: {
    options:
      '--target -t --index-url -i --extra-index-url --find-links -f --prefix --root --config-settings --global-option',
    commands: 'config',
  },
  poetry: { runs: 'run', commands: 'config publish self' },
  uv: { runs: 'run', commands: 'publish self tool' },
  pipenv: { runs: 'run' },
  bundle: { runs: 'exec', commands: 'config' },
  conda: { runs: 'run' },
  direnv: { runs: 'exec', commands: 'allow edit' },
  openssl: {
    single: true,
    options: '-engine -provider -provider-path -out -config -CAfile -writerand',
    commands: 'engine',
  },
  tmux: { commands: '*' },
  gdb: { commands: '*' },
  lldb: { commands: '*' },
  ed: { commands: '*' },
  red: { commands: '*' },
  ex: { commands: '*' },
  sg: { commands: '*' },
  script: { commands: '*' },
  scriptlive: { commands: '*' },
  su: { commands: '*' },
  runuser: { commands: '*' },
  'su-exec': { commands: '*' },
  gosu: { commands: '*' },
  parallel: { commands: '*' },
  sem: { commands: '*' },
  expect: { commands: '*' },
  entr: { commands: '*' },
  watchexec: { commands: '*' },
  nodemon: { commands: '*' },
  concurrently: { commands: '*' },
  socat: { commands: '*' },
  nc: { options: '-e -c --exec --sh-exec --lua-exec' },
  ncat: { options: '-e -c --exec --sh-exec --lua-exec' },
  machinectl: { commands: 'shell login' },
  ip: { commands: 'netns vrf', options: '-b -batch' },
  ansible: { commands: '*' },
  'git-shell': { commands: '*' },
  m4: { commands: '*' },
  gnuplot: { commands: '*' },
  bc: {},
  dc: { commands: '*' },
  tclsh: { commands: '*' },
  lua: { options: '-e -l -i' },
  'ssh-keygen': { options: '-D... -w... -K' },
  'ssh-add': { options: '-s... -S...' },
  csplit: { options: '-f --prefix' },
  split: { options: '--filter --filter...' },
  iconv: { options: '-o --output' },
  xmllint: { options: '--output --postvalid -o --shell' },
  xsltproc: { options: '-o --output --writesubtree' },
  pandoc: {
    options:
      '-o --output -F --filter -L --lua-filter --pdf-engine... -d --defaults --extract-media --data-dir',
  },
  dot: { options: '-o... -O' },
  gpg: {
    options:
      '-o --output --yes --import --delete... --photo-viewer --exec-path --agent-program --gpg-program',
  },
  tcpdump: { options: '-w -z -G -C -W' },
  objdump: { options: '--debug... --plugin... --dwo...' },
  strip: {},
  dpkg: {
    options:
      '-i --install -r --remove -P --purge --unpack --configure --pre-invoke... --post-invoke... --force... --root --admindir --instdir',
  },
  apt: {
    options: '-o... -c... --option --config-file',
    commands: 'install remove purge upgrade full-upgrade update',
  },
  'apt-get': {
    options: '-o... -c... --option --config-file',
    commands: 'install remove purge upgrade dist-upgrade update source',
  },
  man: {
    options: `-P... --pager -H... --html -C... --config-file -M... --manpath -K -l --local-file --preprocessor -p... -B
      --browser -X... --gxditview -t -T... -Z -L... -m... --pager... --html... --troff... --ditroff... --roff...`,
  },
  screen: { commands: '*' },
  at: { commands: '*' },
  batch: { commands: '*' },
  crontab: { commands: '*' },
  'run-parts': { commands: '*' },
  'start-stop-daemon': { commands: '*' },
  'nix-shell': { commands: '*' },
}

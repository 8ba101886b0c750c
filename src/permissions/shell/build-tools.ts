import type { ToolEntry } from './tool-entry.ts'

const NODE_PACKAGES: ToolEntry = {
  options: `--script-shell --prefix --dir --cwd -C -c --call --node-options --globalconfig --userconfig --init-module
    --ignore-scripts=false --registry --editor --viewer --shell --git --scripts-prepend-node-path --node-version
    --require --location --global-style --cache --package-import-method --shell-mode --shell-emulator --config...`,
  commands:
    'config c set pkg edit explore exec x dlx create init publish unpublish login adduser token owner access hook',
}

/** Package managers, compilers, linters and test runners. */
export const buildTools: Readonly<Record<string, ToolEntry>> = {
  npm: NODE_PACKAGES,
  pnpm: NODE_PACKAGES,
  yarn: NODE_PACKAGES,
  npx: {
    starts: true,
    options:
      '-c --call --node-options --script-shell --shell --registry --userconfig --globalconfig --node-arg',
  },
  pnpx: { starts: true, options: '-c --shell-mode' },
  bunx: { starts: true, options: '--bun-path' },
  uvx: { starts: true, options: '--from --with... --index-url --python -p' },
  pipx: { starts: true, commands: 'install inject upgrade uninstall' },
  make: {
    options: '-f... -C... -I... -E... --file --makefile --directory --include-dir --eval -W... -o... --shell',
    assigns: true,
  },
  gmake: {
    options: '-f... -C... -I... -E... --file --makefile --directory --include-dir --eval',
    assigns: true,
  },
  ninja: { options: '-f... -C...' },
  cmake: { options: '-P -E -C -D... --build --install --toolchain -S -B' },
  cargo: {
    options:
      '--config -Z... --manifest-path --target-dir -C --out-dir --artifact-dir --root --path --git --fix --lockfile-path --emit... --config-path --print-config',
    commands: 'install publish login owner yank run-script',
  },
  go: {
    single: true,
    options: `-exec -toolexec -vettool -overlay -modfile -o -C -pkgdir -ldflags -gcflags -asmflags -gccgoflags -compiler
      -buildmode=plugin -n=false -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir -coverprofile -fuzz -tool -w`,
    commands: 'generate tool install get env',
  },
  rustc: { single: true, options: '-C... -o --out-dir --codegen -L... -Z... --extern' },
  gcc: {
    single: true,
    options: '-wrapper -specs... -fplugin... -B... -o -x -T -Wl,... -Wp,... -Wa,... -dumpdir -save-temps...',
  },
  cc: { single: true, options: '-wrapper -specs... -fplugin... -B... -o -x -T' },
  clang: { single: true, options: '-wrapper -fplugin... -B... -o -Xclang -load -x -T' },
  pytest: {
    options:
      '-p... -c --config-file --rootdir --confcutdir --override-ini -o --pdb --pdbcls --pyargs --junit... --basetemp --log-file --resultlog --trace --import-mode --debug... --html... --css --json-report... --report-log... --cov-config... --cov-report=html... --cov-report=xml... --cov-report=json... --cov-report=lcov... --cov-report=annotate... --pastebin... --snapshot-update --inline-snapshot... --force-regen --regen-all --cache-clear --record-mode --profile... --memray... --benchmark-save... --benchmark-json... --benchmark-storage... --alluredir... --ds... --dc... --store-durations --durations-path... --testmon... --splinter... --driver... --xunit... --html-output...',
  },
  tox: { options: '-c --conf -x --override --workdir --result-json' },
  mypy: {
    options:
      '--config-file --python-executable --install-types --plugins --html-report --xml-report --txt-report --junit-xml',
  },
  ruff: {
    options: '--fix --fix-only --unsafe-fixes --config --output-file -o --add-noqa --cache-dir --watch',
    commands: 'clean server',
  },
  black: { options: '--config' },
  isort: {
    options:
      '--overwrite-in-place --settings... --sp --config-root --settings-file -o... --virtual-env --conda-env --apply',
  },
  flake8: { options: '--config --append-config --output-file --tee --enable-extensions' },
  pylint: { options: '--rcfile --load-plugins --init-hook --output --persistent' },
  bandit: { options: '-o --output -c --configfile -p' },
  coverage: { commands: 'run erase html xml json lcov annotate combine', options: '--rcfile --data-file -o' },
  autopep8: { options: '-i --in-place --global-config' },
  yapf: { options: '-i --in-place --style' },
  pyright: { options: '--pythonpath --createstub -p --project --venvpath' },
  gofmt: { single: true, options: '-w -cpuprofile' },
  goimports: { single: true, options: '-w -cpuprofile -memprofile -memrate -trace' },
  'golangci-lint': {
    options: '--fix --config -c --out... --cpu-profile-path --mem-profile-path --trace-path',
    commands: 'cache custom',
  },
  staticcheck: { single: true, options: '-debug... -matrix' },
  rustfmt: { options: '--emit... --config... --backup --print-config -l --files-with-diff' },
  'clang-format': { options: '-i --i --style=file... -style=file... -files... --files...' },
  'clang-tidy': {
    options:
      '--fix... -fix... --load... -load... --config... -config... --export-fixes... -export-fixes... -p... --vfsoverlay... --extra-arg...',
  },
  shfmt: { options: '-w --write' },
  shellcheck: { options: '--rcfile -P --source-path' },
  stylelint: {
    options:
      '--fix... --config... --custom-syntax --custom-formatter -o --output-file --cache-location --stdin-filename',
  },
  biome: {
    options: '--write --fix... --apply... --unsafe --config-path --reporter-file',
    commands: 'init migrate start stop',
  },
  oxlint: { options: '--fix... -c --config --js-plugins --init' },
  oxfmt: { options: '--write -c --config --init' },
  dprint: { commands: 'fmt init', options: '--config -c --plugins' },
  rubocop: {
    options:
      '-a -A -x --auto... --fix... --require -r --config -c --plugin --out -o --regenerate-todo --auto-gen... --cache-root --init',
  },
  rspec: { options: '-r --require -I -o --out -O --options --init --default-path --bisect' },
  phpunit: {
    options:
      '--bootstrap -c --configuration --log... --coverage... --include-path --prepend --generate... --migrate... --cache... --extension --loader --printer',
  },
  playwright: {
    commands: 'codegen install open cr ff wk',
    options: '--config -c --update-snapshots -u --output',
  },
  cypress: { commands: 'open install', options: '--config... -C --env' },
  gradle: {
    single: true,
    options:
      '-I -init-script -b -build-file -c -settings-file -p -project-dir -g -gradle-user-home -include-build -project-cache-dir',
    commands: 'wrapper init',
  },
  mvn: {
    single: true,
    options:
      '-f -file -s -settings -gs -global-settings -t -toolchains -l -log-file -Dexec... -Dmaven.ext... -Dmaven.repo... -DargLine... -Djvm...',
  },
  dotnet: {
    single: true,
    options:
      '-output -o -results-directory -diag -settings -s -p:... /p:... -property... -additionalprobingpath -depsfile',
    commands: 'run exec publish tool add remove new nuget',
  },
  turbo: { options: '--cwd --cache-dir --token --api --profile --graph... --summarize' },
  nx: { commands: 'exec generate g migrate reset', options: '--graph... --file' },
  eslint: {
    options:
      '--fix... --rulesdir --resolve-plugins-relative-to --plugin -c --config --format -f --parser -o --output-file --cache-location --cache-file --flag --init',
    named: '-f --format',
  },
  prettier: {
    options:
      '--write -w --plugin... --config --config-path --ignore-path --cache-location --find-config-path',
  },
  jest: {
    options:
      '--config -c --globalSetup --globalTeardown --setupFiles... --runner --testRunner --reporters --transform --resolver --rootDir --preset --outputFile --coverageDirectory --testEnvironment --watchPlugins --snapshotSerializers --projects',
  },
  vitest: {
    options: '--config -c --globalSetup --root -r --dir --environment --outputFile... --browser... --api...',
  },
  mocha: { options: '-r --require --config --package -R --reporter --import --loader --node-option -n' },
  tsc: {
    options:
      '--outDir --outFile --out --declarationDir --generateTrace --generateCpuProfile --tsBuildInfoFile --init --plugins --clean',
  },
  webpack: { options: '--config -c' },
  rollup: { options: '--config -c --plugin -p -o --file --dir -d' },
  esbuild: { options: '--outfile --outdir --servedir' },
  '7z': { commands: 'x e', searches: 'hidden' },
}

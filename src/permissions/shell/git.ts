import type { OptionTable } from './arguments.ts'
import { sortArguments } from './arguments.ts'
import type { Field } from './field.ts'
import { isStatic, staticField, withinField } from './field.ts'
import type { GitCommand } from './git-commands.ts'
import { gitCommands } from './git-commands.ts'
import type { Invocation, Reading } from './reading.ts'
import { caution, merge, optionCautions, reading, unknownInner, uses } from './reading.ts'
import { HERE, walkUses } from './directory-walks.ts'

const GLOBAL: OptionTable = {
  flags: 'Pvh',
  longs: `no-pager version help no-optional-locks literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs
    no-replace-objects no-lazy-fetch no-advice html-path man-path info-path`,
  values: 'c C git-dir work-tree config-env namespace super-prefix attr-source list-cmds',
  ordered: true,
}

/** Options before the command that select other code, configuration or repositories. */
const REDIRECTING = new Set([
  '-c',
  '-C',
  '--git-dir',
  '--work-tree',
  '--config-env',
  '--namespace',
  '--super-prefix',
])

/**
 * `git COMMAND`: only listed options of listed commands are harmless. An unlisted command may be an alias or a program
 * on the PATH. The repository's configuration can run code that this does not see, so `-C` and the like ask.
 */
export function readGit(command: Invocation): Reading {
  const found = sortArguments(command.args, GLOBAL)
  const redirecting = found.options.map(({ name }) => name).filter((name) => REDIRECTING.has(name))
  const [name, ...rest] = found.operands
  const before = optionCautions('git', [...redirecting, ...found.unknown])
  const configured = found.options.filter((option) => option.name === '-c' || option.name === '--config-env')
  const code =
    configured.length > 0 || found.unknown.length > 0
      ? unknownInner('passes git configuration that may run code')
      : reading({})
  if (name === undefined) return merge(before, code)
  const aliases = found.options.length > 0 ? [[staticField('git'), ...found.operands]] : []
  const places = found.options.flatMap(({ name: option, value }) =>
    value !== null && PLACES.has(option) ? [value] : [],
  )
  return merge(
    before,
    code,
    reading({ aliases }),
    uses('read', [...places, ...found.reads]),
    readBelow(places, readSubcommand(name, rest)),
  )
}

const PLACES = new Set(['-C', '--git-dir', '--work-tree'])

/** Each `-C` is relative to the one before it; file names are relative to the last one. */
function readBelow(places: readonly Field[], found: Reading): Reading {
  if (places.length === 0) return found
  const directory = places.reduce(withinField)
  const below = found.files.map((use) => ({ ...use, field: withinField(directory, use.field) }))
  return { ...found, files: [...found.files, ...below] }
}

/** `git-push` in git's own program directory is `git push`. */
export function readGitProgram(command: Invocation): Reading {
  const name = staticField(command.program.slice('git-'.length))
  const args = [name, ...command.args]
  const found = Object.hasOwn(gitCommands, name.text) ? readGit({ ...command, args }) : reading({})
  return merge(found, reading({ aliases: [[staticField('git'), ...args]] }))
}

/** Options of any git command that write a file or run a program. */
const ACTING =
  /^(-[oO]|--(outp|exec|upload-pack|receive-pack|ext-diff|textconv|open-files|smtp|sendmail|to-cmd|cc-cmd))/

function readSubcommand(name: Field, args: readonly Field[]): Reading {
  const spec = Object.hasOwn(gitCommands, name.text) ? gitCommands[name.text] : undefined
  if (!isStatic(name)) return unknownInner('runs an unknown git command')
  const runs = RUNNING.test(`${name.text} ${args[0]?.text ?? ''}`)
    ? unknownInner(`runs the command given to git ${name.text}`)
    : reading({})
  if (spec === undefined) {
    const anything = `runs git ${name.text}, which may run anything`
    const files = args.filter(({ text }) => !text.startsWith('-')).flatMap(pathsOf)
    const options = args.map(({ text }) => text.split('=', 1)[0] ?? '').filter((text) => ACTING.test(text))
    return merge(
      caution(anything, name.text),
      optionCautions(`git ${name.text}`, options),
      unknownInner(anything, name.text),
      uses('read', files),
      runs,
    )
  }
  const whole = removesTree(name.text, args)
  if (whole !== null) return merge(whole, readListed(name, spec, args, runs))
  return name.text === 'config' ? readConfig(args, spec, name) : readListed(name, spec, args, runs)
}

/** Keys that change only output, identity or defaults. */
const PLAIN_KEYS =
  /^(user\.(name|email)|init\.defaultbranch|color\.[\w.]+|column\.\w+|push\.(default|autosetupremote|followtags)|pull\.(rebase|ff)|merge\.(ff|conflictstyle|stat)|rebase\.(autostash|autosquash|updaterefs)|fetch\.(prune|prunetags|all)|advice\.\w+|core\.(autocrlf|eol|filemode|ignorecase|quotepath|abbrev|longpaths|precomposeunicode|safecrlf|symlinks)|rerere\.enabled|diff\.(algorithm|renames|colormoved|mnemonicprefix)|log\.(date|decorate|abbrevcommit)|status\.\w+|branch\.(sort|autosetuprebase|autosetupmerge)|tag\.sort|help\.autocorrect|commit\.(verbose|status))$/i

/** A value may be a program that git runs later: the call writes the configuration file. */
function readConfig(args: readonly Field[], spec: GitCommand, name: Field): Reading {
  const texts = args.map(({ text }) => text)
  const only = (spec.only ?? '').split(' ')
  const operands = args.filter((field) => !field.text.startsWith('-') && !/^(get|list|set)$/.test(field.text))
  const reads = args.every(isStatic) && (operands.length < 2 || texts.some((text) => only.includes(text)))
  const acts = texts.some((text) =>
    /^(--(add|unset|unset-all|replace-all|edit|remove-section|rename-section)|-e|set|unset|edit|rename-section|remove-section)$/.test(
      text,
    ),
  )
  const plain =
    operands.length > 0 &&
    operands.every((field) => isStatic(field)) &&
    PLAIN_KEYS.test(operands[0]?.text ?? '')
  if (reads && !acts) return readListed(name, spec, args, reading({}))
  const changes = caution('changes something with git config')
  if (plain && !texts.some((text) => /^(-e|--edit|edit)$/.test(text))) return changes
  return merge(
    changes,
    unknownInner('sets git configuration that may run code'),
    uses('write', [staticField('.git/config')]),
    reading({ guards: ['changes git configuration that may run code'] }),
  )
}

/** `git clean -fdx` and `git rm -r .` remove files that rules cannot name. */
function removesTree(name: string, args: readonly Field[]): Reading | null {
  const operands = args.filter((field) => !field.text.startsWith('-'))
  const options = args.map(({ text }) => text)
  const cleans =
    name === 'clean' && !options.some((text) => /^-[a-zA-Z]*n|^--dry/.test(text)) && operands.length === 0
  const forces = options.some((text) => /^-[a-zA-Z]*f|^--f/.test(text))
  const everything = name === 'rm' && operands.some(({ text }) => /^(\.|\.\/|\*|:\/|:\(top\).*)$/.test(text))
  return (cleans && forces) || everything
    ? reading({ guards: [`removes everything with git ${name}`] })
    : null
}

function readListed(name: Field, spec: GitCommand, args: readonly Field[], runs: Reading): Reading {
  const only = spec.only?.split(' ')
  if (only !== undefined && args.length < 2 && args.every(isStatic)) return reading({})
  if (only !== undefined && !args.some(({ text }) => only.includes(text))) {
    return caution(`changes something with git ${name.text}`)
  }
  const table = spec.sub === undefined ? spec : subTable(spec.sub, args)
  if (table === undefined)
    return merge(
      caution(`runs git ${name.text} ${args[0]?.text ?? ''}`.trimEnd(), args[0]?.text),
      uses(
        'read',
        args
          .slice(1)
          .filter(({ text }) => !text.startsWith('-'))
          .flatMap(pathsOf),
      ),
      runs,
    )
  const named = spec.sub !== undefined && args[0]?.text.startsWith('-') === false
  const found = sortArguments(named ? args.slice(1) : args, table)
  const searched = walkUses('read', [HERE], { names: null, hidden: true, links: false, look: false })
  return merge(
    optionCautions(`git ${name.text}`, found.unknown),
    found.unknown.length > 0
      ? unknownInner(`uses an option of git ${name.text} that may run a program`)
      : reading({}),
    found.doubtful && spec.any !== true ? caution('has an argument that is unknown in advance') : reading({}),
    spec.remote === true ? remoteCaution(found.operands) : reading({}),
    uses('read', found.reads),
    spec.makes === true ? uses('write', found.operands.slice(1)) : reading({}),
    name.text === 'grep' ? reading({ files: searched }) : reading({}),
    spec.text === true
      ? reading({})
      : uses(spec.changes === true ? 'write' : 'read', found.operands.flatMap(pathsOf)),
  )
}

/** Commands whose purpose is to run something else. */
const RUNNING =
  /^(filter-branch|difftool|mergetool|hook|send-email|instaweb|web--browse|daemon|credential|bisect run|submodule foreach|maintenance)\b/

function subTable(
  sub: Readonly<Record<string, OptionTable>>,
  args: readonly Field[],
): OptionTable | undefined {
  const name = args[0]?.text ?? ''
  const key = name.startsWith('-') || name === '' ? '' : name
  return Object.hasOwn(sub, key) ? sub[key] : undefined
}

/** `ext::sh -c ...` is an address that runs a program; a directory is a repository whose hooks and helpers run. */
function remoteCaution(operands: readonly Field[]): Reading {
  const odd = operands.find(({ text }) => /::|^(\.{1,2}(\/|$)|\/|~|file:)/.test(text) || text.startsWith('-'))
  return odd === undefined ? reading({}) : caution('names a remote that may run a program')
}

/** A file, or `REVISION:file`. */
function pathsOf(field: Field): readonly Field[] {
  if (!isStatic(field) && !field.glob) return []
  const colon = field.text.indexOf(':')
  if (colon === -1 || field.text.startsWith(':'))
    return /^[\w@^~{}-]+(\.\.\.?[\w@^~{}/-]*)?$/.test(field.text) ? [] : [field]
  const text = field.text.slice(colon + 1)
  return text === '' || text.startsWith('/') ? [] : [{ ...field, text, uncertain: text }]
}

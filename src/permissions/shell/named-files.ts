import type { FileUse } from './field.ts'
import { mayMatchText, UNKNOWN } from '../match-pattern.ts'
import type { Directories } from './directories.ts'
import { joinPath } from './directories.ts'

/** What is known about the files that a word names. */
export interface NamedFiles {
  /** Paths relative to the workspace that it may mean; for a glob, the directory where it starts. */
  readonly paths: readonly string[]
  /** Whether every possible file is below these paths, and none is guarded unless they are. */
  readonly known: boolean
}

/** No operating system opens a longer path. */
const MAX_PATH = 4096

const NOTHING: NamedFiles = { paths: [], known: true }
const DEVICES = /^\/dev\/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd\/\d+)$/
export const GLOB = /[*?[]|[+@!]\(/

export function namedFiles({ field, access }: FileUse, directories: Directories): NamedFiles {
  const { text, from } = field
  if (text === '-' || text === '' || DEVICES.test(text)) return NOTHING
  if (text.length > MAX_PATH) return { paths: [], known: false }
  if (from !== undefined && text === UNKNOWN) return NOTHING
  if (from === undefined && text.includes(UNKNOWN)) return { paths: [], known: false }
  const absolute = text.startsWith('/') || field.tilde
  if (directories === null && !absolute) return { paths: [], known: false }
  const literal = (text.startsWith('~') && !field.tilde ? `./${text}` : text).replaceAll(UNKNOWN, ANY_NAME)
  const texts = field.glob ? globTexts(literal) : [literal]
  const paths = absolute
    ? texts
    : (directories ?? []).flatMap((directory) => texts.map((each) => joinPath(directory, each)))
  const known = field.glob ? isBoundGlob(literal, access) : !text.includes(UNKNOWN) || isBoundName(text, from)
  return { paths, known }
}

/** Stands in for a name that only the shell finds. */
const ANY_NAME = '0'

/** A number in a path's last name, or a suffix added to a file name, cannot change the directory. */
function isBoundName(text: string, from: 'process' | 'files' | 'number' | undefined): boolean {
  if (from === 'number') return !text.slice(text.indexOf(UNKNOWN)).includes('/')
  return from === 'files' && text.startsWith(UNKNOWN) && /^\.[\w.-]+$/.test(text.slice(1))
}

/** A directory that a glob matches may link anywhere, and so may the file that is written. */
function isBoundGlob(text: string, access: FileUse['access']): boolean {
  const names = text.split('/').filter((name) => name !== '')
  const first = names.findIndex((name) => GLOB.test(name))
  if (first === -1) return true
  if (first < names.length - 1) return false
  return access !== 'write' || /^[^*?[].*\.\w+$/.test(text)
}

function globTexts(text: string): readonly string[] {
  const names = text.split('/')
  const first = names.findIndex((name) => GLOB.test(name))
  if (first === -1) return [text]
  const found = names.map((name) => (GLOB.test(name) ? ANY_NAME : name))
  const directory = names.slice(0, first).join('/')
  const start = first === 0 ? '.' : `${directory}/`
  const meant = names.flatMap((name, at) => guardedNames(name).map((each) => found.with(at, each).join('/')))
  return [start, found.join('/'), ...meant]
}

const DOTTED =
  `.env .env.local .git .gitconfig .gitmodules .githooks .git-credentials .npmrc .netrc .pypirc .pgpass .my.cnf .htpasswd
  .dockercfg .vault-token .boto .s3cfg .credentials .credentials.json .ssh .aws .gnupg .password-store .kube .azure .gcloud
  .bash_history .zsh_history .zhistory .histfile .python_history .psql_history .mysql_history .node_repl_history
  .sqlite_history .rediscli_history .mylogin.cnf .terraformrc .databrickscfg
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .inputrc .ripgreprc .curlrc
  .wgetrc .vimrc .exrc .gdbinit .lldbinit .yarnrc .yarnrc.yml .pnpmfile.cjs .mcp.json .pre-commit-config.yaml .lefthook.yml
  .offshoot .claude .opencode .codex .gemini .cursor .windsurf .roo .kiro .continue .cline .amazonq .agents .vscode .idea .zed
  .devcontainer .husky`.split(/\s+/)
const ENDINGS = 'x.pem x.key x.p12 x.pfx x.jks x.keystore x.ppk x.kdbx x.p8 x.tfstate x.tfstate.backup'.split(
  ' ',
)
const PLAIN =
  `credentials credentials.json credentials.yml credentials.yaml credentials.toml secrets.json secrets.yml
  secrets.yaml secrets.toml id_rsa id_dsa id_ecdsa id_ed25519 offshoot.json offshoot.jsonc opencode.json lefthook.yml
  terraform.tfstate terraform.tfstate.backup fish_history rclone.conf kubeconfig
  key.pem cert.pem server.pem server.key private.key private.pem service-account.json`.split(/\s+/)

/**
 * Guarded names that a glob targets. Names that it matches only among all others do not count: `*` and `*.json` are
 * everyday words. A `*` at the start does not match a leading dot.
 */
function guardedNames(pattern: string): readonly string[] {
  if (!GLOB.test(pattern)) return []
  const wild = /^[*?]+(?!\()/.exec(pattern)?.[0] ?? ''
  const rest = pattern.slice(wild.length)
  if (wild !== '' && /^[*?.]*$/.test(rest)) return []
  const names =
    wild === '' || rest.startsWith('(')
      ? [...DOTTED, ...PLAIN]
      : rest.startsWith('.')
        ? ENDINGS
        : [...PLAIN, ...ENDINGS]
  const subject = pattern.toLowerCase().replaceAll(/\[[^\]]*\]|[+@!?*]\([^)]*\)|[?*[\]+@!(){}|^]+/g, UNKNOWN)
  return names.filter((name) => mayMatchText(name, subject))
}

/** Whether a glob of names targets guarded files. */
export function isAfterGuarded(name: string): boolean {
  return /^[*?.]*$/.test(name) || guardedNames(name).length > 0 || !GLOB.test(name)
}

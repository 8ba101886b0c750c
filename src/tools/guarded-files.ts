import type { ResolvedPath } from './port.ts'

type Guard = NonNullable<ResolvedPath['guarded']>

/**
 * The kind of guarded file that a path names, judged by names alone. Names are compared as the most lenient file system
 * would: without case, and without characters that some systems ignore.
 */
export function guardOf(path: string): Guard | null {
  const names = path.split(/[/\\]/).filter(Boolean).map(plainName)
  const file = names.at(-1) ?? ''
  if (names.some(isGit)) return 'git'
  if (names.some((name) => SECRET_DIRECTORIES.has(name)) || isSecret(names, file)) return 'secret'
  const skill = skillAt(names)
  const others = skill < 0 ? names : names.toSpliced(skill, 1)
  if (others.some((name) => CONFIG_DIRECTORIES.has(name)) || isConfig(others, file)) return 'config'
  return skill < 0 ? null : 'skill'
}

/** Index of the first name of `.claude/skills` and the like in a path; -1: none. */
function skillAt(names: readonly string[]): number {
  return names.findIndex((name, at) => SKILLS.has(`${name}/${names[at + 1]}`) && at + 2 < names.length)
}

const SKILLS = new Set(
  ['.offshoot', '.claude', '.opencode', '.agents'].flatMap((name) => [`${name}/skills`, `${name}/skill`]),
)

/**
 * On some systems, `.GIT`, `.git.`, `.git::$INDEX_ALLOCATION`, `.g<zero width>it` and `git~1` open the same directory.
 */
function plainName(name: string): string {
  if (PLAIN_NAME.test(name)) return name.toLowerCase()
  const visible = name.normalize('NFKC').replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
  const bare = visible.replace(/:.*$/, '').replace(/[. ]+$/, '')
  return bare.toLowerCase()
}

/** A name that every system reads the same way, as most are. */
const PLAIN_NAME = /^\.?[\w-]+(\.[\w-]+)*$/

function isGit(name: string): boolean {
  return name === '.git' || name === 'git~1'
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const CONFIG_DIRECTORIES = words(
  `.offshoot .claude .opencode .codex .gemini .cursor .windsurf .roo .kiro .continue .cline .amazonq .agents
  .vscode .idea .zed .devcontainer .husky .githooks`,
)

const CONFIG_FILES = words(
  `offshoot.json offshoot.jsonc opencode.json opencode.jsonc .mcp.json .gitconfig .gitmodules .ripgreprc
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc
  .tcshrc .inputrc .pre-commit-config.yaml .pre-commit-config.yml lefthook.yml lefthook.yaml .lefthook.yml .curlrc .wgetrc
  .vimrc .exrc .gdbinit .lldbinit .yarnrc .yarnrc.yml .pnpmfile.cjs`,
)

function isConfig(names: readonly string[], file: string): boolean {
  if (CONFIG_FILES.has(file)) return true
  const github = names.lastIndexOf('.github')
  if (github >= 0 && (names[github + 1] === 'agents' || names[github + 1] === 'hooks')) return true
  const config = names.lastIndexOf('.config')
  return config >= 0 && OUR_CONFIG.has(names[config + 1] ?? '')
}

/** Directories below `~/.config` with rules of agents, shells or version control. */
const OUR_CONFIG = words('offshoot opencode git fish')

const SECRET_DIRECTORIES = words(
  `.ssh .aws .gnupg .password-store .kube .azure .gcloud .oci .bluemix .aliyun .op .lpass .mozilla`,
)

const SECRET_FILES = words(
  `.netrc _netrc .npmrc .pypirc .pgpass .my.cnf .mylogin.cnf .htpasswd .git-credentials .dockercfg .vault-token .boto .s3cfg
  .terraformrc terraform.rc credentials.tfrc.json .databrickscfg kaggle.json .smbcredentials .msmtprc .fetchmailrc
  credentials credentials.json .credentials credentials.yml credentials.yaml .credentials.json credentials.toml
  application_default_credentials.json rclone.conf .rclone.conf kubeconfig settings-security.xml
  secrets.json secrets.yml secrets.yaml secrets.toml
  id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk
  .zhistory .histfile fish_history consolehost_history.txt .dbshell`,
)

/** Files and directories whose names are secret only inside the directory named before them. */
const SECRET_PAIRS: ReadonlySet<string> = new Set([
  ...words(
    `gh/hosts.yml glab-cli/config.yml .config/hub .config/gcloud .config/op .config/github-copilot .config/stripe
    .config/netlify .config/.wrangler .docker/config.json containers/auth.json .composer/auth.json composer/auth.json
    opencode/auth.json com.vercel.cli/auth.json configstore/firebase-tools.json doctl/config.yaml .fly/config.yml
    huggingface/token .m2/settings.xml .gradle/gradle.properties ngrok/ngrok.yml .ngrok2/ngrok.yml age/keys.txt
    .config/google-chrome .config/chromium .subversion/auth share/keyrings library/keychains`,
  ),
  'bitwarden cli/data.json',
])

/** Keys, and Terraform state, which contains passwords. */
const SECRET_ENDINGS = /\.(pem|key|p12|pfx|jks|keystore|ppk|kdbx|p8|tfstate|tfstate\.([\w.-]+\.)?backup)$/

/** Histories of typed commands, which may include passwords and tokens: `.bash_history`, `.psql_history`. */
const HISTORY = /^\.\w+_history$/

function isSecret(names: readonly string[], file: string): boolean {
  if (file.startsWith('.env') || SECRET_FILES.has(file) || SECRET_ENDINGS.test(file)) return true
  if (HISTORY.test(file) || names.some((name, at) => SECRET_PAIRS.has(`${names[at - 1]}/${name}`)))
    return true
  if (/^service[-_]?account.*\.json$/.test(file)) return true
  if (names[0] === 'etc') return file === 'shadow' || file === 'gshadow' || file === 'sudoers'
  return names[0] === 'proc' && (file === 'environ' || file === 'mem')
}

// Runs before `npm start`, `npm test` and the other scripts, so that each works in a fresh clone: installs what
// package-lock.json names when node_modules does not hold it yet. Plain JavaScript for Node 18 and newer, without
// dependencies: Node 24 itself is among what it installs. stdout stays empty, it belongs to the program.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { LockError, acquireLock } from './install-lock.mjs'

/** @import {Lock} from './install-lock.mjs' */
/** @typedef {{ error?: Error, code: number | null, signal: string | null }} Ended */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MODULES = path.join(ROOT, 'node_modules')
/** Holds the hash of the package-lock.json that node_modules was installed from; written last, so it means "whole". */
const STAMP = path.join(MODULES, '.offshoot-lock')
/** Outside node_modules, because `npm ci` empties that. */
const LOCK = path.join(ROOT, '.install-lock')
const WINDOWS = process.platform === 'win32'
const BIN_NODE = path.join(MODULES, '.bin', WINDOWS ? 'node.cmd' : 'node')
const MANIFEST = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'))

/** An end that the user can do something about: one sentence, no stack. */
class BootstrapError extends Error {}

try {
  await main()
} catch (error) {
  if (!(error instanceof BootstrapError || error instanceof LockError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

async function main() {
  // Said before the install where it is certain, so that nobody waits for nothing.
  if (!isNewEnough(process.versions.node) && !hasNodePackage()) throw nodeMissing()
  if (!isInstalled()) {
    const lock = await acquireLock(LOCK)
    try {
      // Another process may have finished the same install while this one waited.
      if (!isInstalled()) await install(lock)
    } finally {
      lock.release()
    }
  }
  // npm puts node_modules/.bin first on PATH, so from the second start on this process is that Node already.
  if (!isNewEnough(process.versions.node) && !isNewEnough(installedNodeVersion())) throw nodeMissing()
}

function isInstalled() {
  return fs.existsSync(STAMP) && fs.readFileSync(STAMP, 'utf8') === lockfileHash()
}

function lockfileHash() {
  const lockfile = path.join(ROOT, 'package-lock.json')
  if (!fs.existsSync(lockfile)) {
    throw new BootstrapError(
      `${lockfile} is missing: restore it (git checkout package-lock.json) and try again.`,
    )
  }
  return createHash('sha256').update(fs.readFileSync(lockfile)).digest('hex')
}

/** @param {Lock} lock */
async function install(lock) {
  process.stderr.write('Installing dependencies (on first use and after an update)...\n')
  const hash = lockfileHash()
  // An install that is interrupted from here on leaves no stamp, so the next start repeats it.
  fs.rmSync(STAMP, { force: true })
  const { error, code, signal } = await npmCi(lock)
  if (error !== undefined || code !== 0) {
    const how = error?.message ?? (signal === null ? `exit code ${code}` : `signal ${signal}`)
    throw new BootstrapError(
      `The dependencies could not be installed: \`npm ci\` ended with ${how} (what it said stands above); ` +
        'check the network and your npm registry settings, then run the same command again.',
    )
  }
  dropBrokenNode()
  fs.mkdirSync(MODULES, { recursive: true })
  fs.writeFileSync(`${STAMP}.tmp`, hash)
  fs.renameSync(`${STAMP}.tmp`, STAMP)
}

/**
 * Runs `npm ci` with its output on stderr; a signal that ends this process ends npm first.
 * @param {Lock} lock
 */
async function npmCi(lock) {
  const [command, ...args] = npmCommand()
  // The project's .npmrc makes npm silent, and a NODE_ENV of production would leave out what the scripts need.
  args.push('ci', '--include=dev', '--include=optional', '--loglevel=error')
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
    shell: WINDOWS && command === 'npm',
    detached: !WINDOWS, // a group of its own, so that all of it can be ended
  })
  /** @type {NodeJS.Signals | undefined} */
  let received
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    received = signal
    killGroup(child, signal)
    // npm finishes what it has begun before it ends; an install that is cut is repeated by the next start anyway
    setTimeout(() => killGroup(child, 'SIGKILL'), 500).unref()
  }
  process.on('SIGINT', forward).on('SIGTERM', forward)
  /** @type {Promise<Ended>} */
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve({ error, code: null, signal: null }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  // npm may outlive this process (kill -9); the lock must last as long as either.
  if (child.pid !== undefined) lock.share(child.pid)
  const result = await ended
  process.off('SIGINT', forward).off('SIGTERM', forward)
  if (received !== undefined) {
    lock.release()
    process.kill(process.pid, received)
  }
  return result
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function killGroup(child, signal) {
  try {
    if (WINDOWS || child.pid === undefined) child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // the group has ended
  }
}

/**
 * The npm that runs this script, on its own Node: the Node on PATH may be the one that is about to be replaced.
 * @returns {[string, ...string[]]}
 */
function npmCommand() {
  const { npm_execpath: cli, npm_node_execpath: node } = process.env
  return cli && node && /\bnpm-cli\.[cm]?js$/.test(cli) ? [node, cli] : ['npm']
}

// --- Node itself

/** Whether the lockfile brings a Node for this machine. */
function hasNodePackage() {
  return `node-${WINDOWS ? 'win' : process.platform}-${process.arch}` in MANIFEST.optionalDependencies
}

/** @param {string | undefined} version */
function isNewEnough(version = '') {
  const [major, minor] = /** @type {[number, number]} */ (MANIFEST.engines.node.match(/\d+/g).map(Number))
  const [haveMajor = 0, haveMinor = 0] = version.split('.').map(Number)
  return haveMajor > major || (haveMajor === major && haveMinor >= minor)
}

function nodeMissing() {
  const machine = `${process.platform}-${process.arch}`
  return new BootstrapError(
    `Node ${MANIFEST.engines.node} is needed, this is ${process.versions.node}, and no Node package works on this ` +
      `machine (${machine}): install that Node yourself (from nodejs.org, or with a version manager), then run the ` +
      'same command again.',
  )
}

/** The version of the Node in node_modules, undefined where there is none or it does not start. */
function installedNodeVersion() {
  const { status, stdout } = spawnSync(BIN_NODE, ['--version'], { encoding: 'utf8', shell: WINDOWS })
  return status === 0 ? stdout.trim().replace(/^v/, '') : undefined
}

/** A Node built for another C library (musl) installs but does not start; left there it would hide the system's. */
function dropBrokenNode() {
  if (installedNodeVersion() === undefined) fs.rmSync(BIN_NODE, { force: true })
}

// Writes the tables of commands into docs/cli.md from the program's own. Run it after a change there; test/cli-docs.test.ts
// fails as long as the page is out of step.
import fs from 'node:fs'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { allCommands, commandUsage, LATER } from '../src/cli/help.ts'
import { createProgram } from '../src/cli/program.ts'

/** @typedef {import('commander').Command} Command */
/** @typedef {import('commander').Option} Option */

const PAGE = fileURLToPath(new URL('../docs/cli.md', import.meta.url))
const BEGIN = '<!-- written by `node scripts/cli-docs.mjs` -->'
const END = '<!-- as far as here -->'

/**
 * The page with the table as it has to be.
 * @param {string} page
 */
export function withCommandTable(page) {
  const [before = '', rest = ''] = page.split(BEGIN)
  const [, after] = rest.split(END)
  if (after === undefined) throw new Error(`docs/cli.md lacks "${BEGIN}" or "${END}"`)
  return [before, BEGIN, '\n\n', commandTable(), '\n', END, after].join('')
}

const stream = new PassThrough()
const io = { stdin: stream, stdout: stream, stderr: stream, env: {}, cwd: '/' }
const all = allCommands(await createProgram(/** @type {any} */ (io), () => {}))

/** The commands as the command line knows them, hidden ones aside. */
export function commands() {
  return all
}

function commandTable() {
  const rows = commands().map((command) => {
    const options = command.options.filter((option) => !option.hidden).map(optionText)
    return `| \`${commandUsage(command)}\` | ${options.join('<br>')} | ${cell(command.description())} |`
  })
  return ['| command | options | does |', '|---|---|---|', ...rows, ''].join('\n')
}

/** @param {Option} option */
function optionText({ flags, argChoices, defaultValue, helpGroupHeading }) {
  const facts = [
    ...(argChoices ? [argChoices.join(', ')] : []),
    ...(defaultValue === undefined ? [] : [`default: ${defaultValue}`]),
    ...(helpGroupHeading === LATER ? ['not available yet'] : []),
  ]
  return `\`${flags}\`${facts.length > 0 ? ` (${facts.join('; ')})` : ''}`
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll('|', '\\|')
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  fs.writeFileSync(PAGE, withCommandTable(fs.readFileSync(PAGE, 'utf8')))

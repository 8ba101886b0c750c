// Stands for npm in the tests of the bootstrap: notes its arguments, then does what FAKE_NPM says.
import fs from 'node:fs'

fs.appendFileSync('npm-calls.txt', `${process.argv.slice(2).join(' ')}\n`)
process.stdout.write('npm is at work\n')

if (process.env.FAKE_NPM === 'fail') {
  process.stderr.write('npm error: no such package\n')
  process.exit(7)
}
if (process.env.FAKE_NPM === 'wait') {
  const timer = setInterval(() => fs.existsSync('go-on') && clearInterval(timer), 20)
}
if (process.env.FAKE_NPM === 'broken-node') {
  fs.mkdirSync('node_modules/.bin', { recursive: true })
  fs.writeFileSync('node_modules/.bin/node', '#!/bin/sh\nexit 127\n', { mode: 0o755 })
}

import { expect, test } from 'vitest'
import { childEnvironment } from './child-environment.ts'

test('passes listed variables only and hardens git', () => {
  const environment = childEnvironment(
    {
      PATH: '/bin',
      HOME: '/home/a',
      LC_ALL: 'C',
      TERM: 'xterm',
      PAGER: 'less',
      HTTPS_PROXY: 'http://proxy:1',
      GIT_SSL_CAINFO: '/ca.pem',
      HTTP_PROXY: 'http://me:secret@proxy:1',
      ANTHROPIC_API_KEY: 'k',
      GITHUB_TOKEN: 't',
      AWS_SECRET_ACCESS_KEY: 's',
      NODE_OPTIONS: '--require x',
      LD_PRELOAD: 'x',
      BASH_ENV: 'x',
      GIT_AUTHOR_NAME: 'Me',
      GIT_AUTHOR_EMAIL: 'me@example.com',
      GIT_SSH_COMMAND: 'x',
      GIT_DIR: 'x',
      SSH_AUTH_SOCK: 'x',
      npm_config_token: 'x',
      OFFSHOOT_RUN_ID: 'outer',
      UNSET: undefined,
    },
    { OFFSHOOT_OWNER: 'o' },
  )
  expect(environment).toEqual({
    PATH: '/bin',
    HOME: '/home/a',
    LC_ALL: 'C',
    HTTPS_PROXY: 'http://proxy:1',
    GIT_SSL_CAINFO: '/ca.pem',
    GIT_AUTHOR_NAME: 'Me',
    GIT_AUTHOR_EMAIL: 'me@example.com',
    TERM: 'dumb',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: '3',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_CONFIG_VALUE_0: 'false',
    GIT_CONFIG_KEY_1: 'core.hooksPath',
    GIT_CONFIG_VALUE_1: '/dev/null',
    GIT_CONFIG_KEY_2: 'protocol.ext.allow',
    GIT_CONFIG_VALUE_2: 'never',
    OFFSHOOT_OWNER: 'o',
  })
})

import { describe, expect, it } from 'vitest'
import {
  questionText,
  choicesText,
  grantText,
  refusedKeyText,
  promptLine,
  approvalText,
  type ApprovalEvent,
} from './approval-prompt-text.ts'

const question = {
  path: ['main', 'general'],
  title: '$ git push',
  detail: 'git push',
  directory: '/work',
  rule: 'no rule matches, and bash asks by default',
  position: 2,
  of: 3,
} as unknown as ApprovalEvent

describe('a question on the terminal', () => {
  it('says who wants what, where and why', () => {
    expect(approvalText(question)).toBe(
      '⚑ main > general needs you (2 of 3): $ git push\n    git push\n  in /work\n  because: no rule matches, and bash asks by default\n',
    )
  })

  it('has its number before its place in the line', () => {
    expect(approvalText({ ...question, number: 7 })).toContain('needs you (#7, 2 of 3): $ git push\n')
  })

  it('shows a change with the line numbers of its file, and without headers', () => {
    const detail = '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -99,2 +99,2 @@\n same\n-old\n+new'
    const asked = { ...question, tool: 'edit', title: 'Edit src/a.ts', detail }
    expect(approvalText(asked)).toContain(
      ': Edit src/a.ts\n     99   same\n    100 - old\n    100 + new\n  in',
    )
    expect(approvalText({ ...asked, title: 'Edit src/…' })).toContain(
      ': Edit src/…\n    src/a.ts\n     99   same\n',
    )
  })

  it('leaves out nothing of a command that looks like a change', () => {
    const detail = '--- $(rm -rf ~)\n+++ b\n@@ -1 +1 @@\n-a'
    expect(approvalText({ ...question, tool: 'bash', detail })).toContain('    --- $(rm -rf ~)\n    +++ b\n')
  })

  it('shows what has no width, and marks that pile up', () => {
    const text = approvalText({
      ...question,
      detail: 'rm\u200b -rf\u00ad \u{e0041}x\u0301\u0302\u0303\u0304',
    })
    expect(text).toContain('    rm\\u{200b} -rf\\u{ad} \\u{e0041}x\u0301\u0302\\u{303}\\u{304}\n')
  })

  it('shows the same of a pattern that is offered for good', () => {
    expect(promptLine('git\u200b push\n\u001b[2K *')).toBe('git\\u{200b} push \u241b[2K *')
  })

  it('says how much of a long one is not shown, and shows its end', () => {
    const long = approvalText({ ...question, detail: `${'a'.repeat(10_000)}; rm -rf ~` })
    expect(long).toMatch(/a\n {4}\[… 6010 characters are not shown …\]\n {4}a+; rm -rf ~\n/)
    const many = approvalText({
      ...question,
      detail: Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n'),
    })
    expect(many).toMatch(/line 20\n {4}\[… 70 lines are not shown …\]\n {4}line 91\n/)
    expect(many).toContain('line 99\n')
  })
})

describe('what an agent asks in words', () => {
  const asked = {
    path: ['main', 'critic'],
    question: 'Which one?\nSay why.',
    options: ['this', 'that'],
    position: 1,
    of: 2,
  }

  it('stands there with a number before each option', () => {
    expect(questionText(asked)).toBe(
      '⚑ main > critic asks you (1 of 2):\n    Which one?\n    Say why.\n  [1] this\n  [2] that\n',
    )
  })

  it('is no command to the terminal, and nothing in it is unseen', () => {
    const text = questionText({
      ...asked,
      question: '\u001b]0;x\u0007?',
      options: ['a\u001b[2J\n[9] b\u200b'],
    })
    expect(text).toContain('    \u241b]0;x\u2407?\n  [1] a\u241b[2J [9] b\\u{200b}\n')
  })
})

describe('what lasting answers allow', () => {
  it('is told where there is something', () => {
    expect(grantText({ tool: 'bash', pattern: 'npm \u001b[1mtest *' })).toBe(
      '  "run" and "always" allow: bash:npm \u241b[1mtest *\n',
    )
    for (const none of [null, undefined]) expect(grantText(none)).toMatch(/^ {2}only once: .*\n$/)
  })

  it('has keys for what is offered, and says why a key is missing', () => {
    expect(choicesText({ tool: 'bash', pattern: 'npm test *' })).toBe(
      '  [1] once  [2] this run  [3] always `npm test *`  [n] deny  [e] deny with a note: ',
    )
    expect(choicesText(null)).toMatch(
      /^ {2}only once: .*\n {2}\[1\] once {2}\[n\] deny {2}\[e\] deny with a note: $/,
    )
    expect(refusedKeyText('3', null)).toBe('  3 is not offered here\n')
    expect(refusedKeyText('\u001b', null)).toBe('  \u241b is not an answer\n')
  })
})

import { expect, test } from 'vitest'
import { splitStdinData, STDIN_HEADING } from './stdin-data.ts'

test.each(['a\nb', '```\nx\n```', `why?\n\n${STDIN_HEADING}\n${'`'.repeat(3)}\ny\n${'`'.repeat(3)}`, ''])(
  'data %j is told from the prompt before it',
  (data) => {
    const prompt = `why?\n\n${STDIN_HEADING}\n\`\`\`\`\n${data}\n\`\`\`\``
    expect(splitStdinData(prompt)).toEqual({ prompt: 'why?', data })
  },
)

test.each(['why?', `why?\n\n${STDIN_HEADING}\nno fence`, `why?\n\n${STDIN_HEADING}\n\`\`\`\nno end`])(
  '%j has none',
  (prompt) => expect(splitStdinData(prompt)).toEqual({ prompt, data: null }),
)

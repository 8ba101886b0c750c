import { z } from 'zod'
import { tool, ToolError } from '../../../src/index.ts'
import { LONG_LINE } from '../recording.ts'

/** It reads, and answers at once. */
export const look = tool({
  name: 'look',
  description: 'Looks at something.',
  inputSchema: z.object({ at: z.string() }),
  effects: 'none',
  execute: ({ at }) => `there is ${at}`,
})

/** It changes something, so that rules decide. */
export const change = tool({
  name: 'change',
  description: 'Changes something.',
  inputSchema: z.object({ what: z.string() }),
  effects: 'write',
  subject: ({ what }) => [{ kind: 'path', value: what }],
  title: ({ what }) => `Change ${what}`,
  execute: ({ what }) => `${what} is changed`,
})

export const broken = tool({
  name: 'broken',
  description: 'Never works.',
  inputSchema: z.object({}),
  effects: 'none',
  execute: () => {
    throw new ToolError('out_of_order', 'it is out of order', 'ask somebody else')
  },
})

/** Its output goes to an artifact, and people see it come. */
export const long = tool({
  name: 'long',
  description: 'Writes a lot.',
  inputSchema: z.object({}),
  effects: 'none',
  execute: (_, { emit }) => {
    emit('first piece\n')
    emit('second piece\n')
    return LONG_LINE.repeat(700)
  },
})

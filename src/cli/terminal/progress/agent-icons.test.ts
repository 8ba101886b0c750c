import { expect, it } from 'vitest'
import { agentIcons } from './agent-icons.ts'
import { widthOf } from './text-width.ts'

it('takes no room where no agent has an icon', () => {
  expect(agentIcons([{ name: 'explore' }])).toBeUndefined()
})

it.each([
  '🔍',
  '★',
  'QA',
  '查',
  '👩‍💻',
  '🛠️',
  '🇩🇪',
  '\u001b[2J',
  '\u202ex',
  'robot',
  '',
  `a${'\u0301'.repeat(9)}`,
])('an icon takes three columns and is no command: %j', (icon) => {
  const iconOf = agentIcons([{ name: 'a', icon }, { name: 'b' }])!
  expect([widthOf(iconOf('a')), iconOf('b'), iconOf('unknown')]).toEqual([3, '◆  ', '◆  '])
  expect(iconOf('a')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u)
})

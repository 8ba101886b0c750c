import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../migrations/', import.meta.url)

/** SHA-256 of each migration. A line is added with a new migration; none is ever changed. */
const FROZEN = {
  '0001_initial.sql': '8456bb1fb0a0234d580e08c1c888c5a6c46c3bd43c3f6e5d1a28db5bd7168f9e',
  '0002_budgets_and_setups.sql': '335cc9541d85fbb75cbf0093de5927384a66d085c166088d77d131ac6303e7e9',
  '0003_typed_reports.sql': 'a1114708c4c8efab85a05bfb5493fa28ac615cc4b24c23b2133184c246c1ee11',
  '0004_questions_and_grants.sql': 'be177d1db53b2746ac17abd09f48f6af1892cb4012127013e62d7a4fc6ed636f',
  '0005_receipts.sql': 'b81ad63a0b2cc7676b5a6cfc24ad734d312f15266ea6160db43d9452096b3f3c',
  '0006_pausing.sql': '8a7a9728659d840304e34bea3de895f3036b8a4d50d4d067c02cfcc3880fd7b6',
  '0007_idempotency.sql': '161ad862b5476c099c46543dc1b84171d3cde67465e17cdeb5140583146ed6d5',
  '0008_sums.sql': 'f0bf26bd51e97e8c4d1950f8e38cfa1fb561ca1f0e87264d8ea923b3819a9f5c',
  '0009_who_wrote_what.sql': '229ff1a66d7a632151199a212ef72dc632cf6ed0ac251d8b039a416795d0fd7e',
  '0010_finish_reasons.sql': '2f451eb0b88dcc36ddd3226d19818d89ee5388d45ca85ff5a449affa2e772617',
  '0011_ask_numbers.sql': '3c5eab8f4ca853e6e7dd7ea195578240b1516c4ebe4d2cd56647f35f17140e76',
  '0012_answers_and_turns.sql': '82a44d0e376b0409ff2d86836e22e676f58120da5e0e168c4b20eb428993155e',
  '0013_ends_of_cancels.sql': '790b8159e9803e04bb8ddc96c71be15c42bb39c750ce09dda420542860c6583b',
  '0014_sandbox_of_approvals.sql': 'aad41f6a9b0d3bc72ecd778e6d2016695dea4b3903f9f5d7f5eaaa8da081fb02',
  '0015_sandbox_of_conversations.sql': '365ecf2e4ccade79b19b25a63ad7717a62af2196226a582891cdfde38c485a7e',
  '0016_numbers.sql': '81acc4adc65a67d86166be64419156253db138bf7e0924bc9017f7fa3d6f01a4',
}

test('no migration changes: databases have had it as it is, and know it by its number alone', () => {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(new URL(name, folder)))
      .digest('hex')
  expect(Object.fromEntries(names.map((name) => [name, hash(name)]))).toEqual(FROZEN)
})

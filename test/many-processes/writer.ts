// One of many programs that use a store at the same time: opens it, writes a conversation, message by message, and
// closes it. Prints how long its longest transaction took. node test/many-processes/writer.ts FILE TRANSACTIONS NUMBER
import { sampleRows, seed } from '../../src/store/conformance/rows.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'

const [file, transactions, number] = process.argv.slice(2)
const store = await openSqliteStore({ file: file! })
const sample = sampleRows(1_000 + Number(number))
let longest = 0
await timed(() => store.tx((tx) => seed(tx, sample), { durable: true }))
for (let position = 0; position < Number(transactions); position++)
  await timed(() => store.tx((tx) => tx.insert('messages', sample.message(position)), { durable: true }))
await store.close()
process.stdout.write(String(Math.round(longest)))

async function timed(write: () => Promise<unknown>): Promise<void> {
  const from = performance.now()
  await write()
  longest = Math.max(longest, performance.now() - from)
}

import { writeSync } from 'node:fs'
import { sampleRows, seed } from '../../src/store/conformance/rows.ts'
import { openDecoratedFile } from '../support/decorated-file.ts'
import { faultsOf } from '../support/faults.ts'

/**
 * `node workload.ts FILE ROUNDS`: writes to a store as the program does, one to four closures a turn, and says the
 * number of each durable one on stdout once it is acknowledged. The log is short, so that it is often taken in.
 */
const [file = '', rounds = ''] = process.argv.slice(2)
const store = await openDecoratedFile({ file, logPages: 24 }, faultsOf(process.env))
const sample = sampleRows()
await store.tx((tx) => seed(tx, sample), { durable: true })
const { id: conversationId } = sample.conversation
let seq = 1_000
for (let round = 0; round < Number(rounds); round++) {
  const group = Array.from({ length: 1 + (round % 4) }, async (_, place) => {
    const own = seq++
    const durable = (round * 7 + place) % 3 !== 0
    await store.tx(
      (tx) => {
        tx.insert('events', {
          conversationId,
          seq: own,
          events: [{ type: 'message.appended', text: `${own} `.repeat(40) }],
        })
        if (round % 10 === 9)
          tx.insert(
            'artifacts',
            sample.artifact(
              `hash ${own}`,
              new Uint8Array(9_000).map((_, i) => i * own),
            ),
          )
      },
      { durable },
    )
    if (durable) writeSync(1, `${own}\n`)
  })
  await Promise.all(group)
}
await store.close()

import { expect, test } from 'vitest'
import { DamagedStore, expectRepairs } from './damaged-store.ts'

test(
  'a hundred stores with random damage are repaired, exported and imported',
  { timeout: 1_800_000 },
  async () => {
    using store = await DamagedStore.create()
    await expectRepairs(store, 100)
    expect(store.documents.size).toBeGreaterThan(0)
  },
)

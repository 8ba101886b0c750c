import type { StoreCase } from './conformance/case.ts'
import { integrity } from './conformance/integrity.ts'
import { queries } from './conformance/queries.ts'
import { transactions } from './conformance/transactions.ts'
import { values } from './conformance/values.ts'

/**
 * What every store must do, for any test runner:
 *
 *     for (const one of storeConformance) test(one.name, () => one.run(openMyStore))
 */
export const storeConformance: readonly StoreCase[] = [...values, ...queries, ...integrity, ...transactions]

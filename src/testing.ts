export { storeConformance } from './store/conformance.ts'
export type { StoreCase } from './store/conformance/case.ts'

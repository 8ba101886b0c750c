/** For people: what the README, and these pages themselves, link to. Files and folders of the published package. */
export const packedPages = [
  'ARCHITECTURE.md',
  'docs',
  'examples',
  'bench/RESULTS.md',
  'bench/RESULTS-PAGE.md',
]

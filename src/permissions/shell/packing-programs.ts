import type { Program } from './program-entry.ts'

/** Compressors of single files: with `-c` and the like they only print. */
export const packingPrograms: Readonly<Record<string, Program>> = {
  gzip: {
    operands: 'edit',
    flags: 'acdfhklLnNqrtvV0-9',
    longs: 'stdout keep decompress list test verbose force best fast',
    values: 'S b suffix',
  },
  gunzip: { operands: 'edit', flags: 'cfhklLnNqrtvV', longs: 'stdout keep list test verbose force' },
  zstd: {
    operands: 'edit',
    flags: 'dcfkqvzltrhHV0-9T',
    longs: `decompress stdout to-stdout keep quiet verbose force list test compress fast ultra long adaptive check
      no-check no-progress progress sparse no-sparse help version content-size no-content-size threads`,
    values: 'T threads memory format',
    writes: 'o output-dir-flat output-dir-mirror trace',
    sends: 'D filelist patch-from train dict',
  },
  xz: {
    operands: 'edit',
    flags: 'dcfkqvztlehHVQ0-9',
    longs: `decompress uncompress stdout to-stdout keep quiet verbose force list test compress extreme no-sparse
      single-stream ignore-check robot info-memory help long-help version no-warn`,
    values: 'F C T M S format check threads memlimit memory suffix lzma2',
    sends: 'files files0',
  },
  bzip2: {
    operands: 'edit',
    flags: 'dcfkqvztsLVh0-9',
    longs: 'decompress stdout keep quiet verbose force test compress small best fast help version',
  },
  lz4: {
    operands: 'output',
    flags: 'dcfkqvztlmhHVr0-9',
    longs:
      'decompress stdout keep quiet verbose force list test compress best fast favor-decSpeed help version',
  },
}

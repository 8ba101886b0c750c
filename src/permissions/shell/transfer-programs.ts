import type { Program } from './program-entry.ts'

/** Programs that pack files or move them between machines. */
export const transferPrograms: Readonly<Record<string, Program>> = {
  zip: {
    runs: true,
    operands: 'zip',
    flags: 'rRj0123456789qvyuflzDxiXoe9',
    longs: 'recurse-paths junk-paths quiet verbose symlinks update freshen version help test-only',
    values: 'n x i s t tt suffixes exclude include',
    walks: { when: '-r -R --recurse-paths' },
  },
  rsync: {
    runs: true,
    operands: 'copy',
    flags: 'avrlptgoDznuqcihPHAXxCSWk0L',
    longs: `archive verbose recursive links copy-links perms times group owner devices specials compress dry-run update quiet
      checksum itemize-changes human-readable progress partial stats
      exclude include filter size-only existing ignore-existing inplace one-file-system hard-links version help`,
    values: 'exclude include f filter max-size min-size bwlimit timeout',
    walks: { when: '-a -r --archive --recursive', links: '-L --copy-links' },
    addresses: true,
  },
  scp: {
    runs: true,
    operands: 'copy',
    flags: '346ABCpqrTvO',
    values: 'c i l P',
    walks: { when: '-r' },
    addresses: true,
  },
  sftp: { runs: true, operands: 'text', flags: '46aCfpqrv', values: 'c i l P R s' },
  wget: {
    runs: true,
    operands: 'text',
    flags: 'qvSctTN46rlpkLnHhV',
    longs: `quiet verbose no-verbose server-response continue spider timestamping no-check-certificate no-clobber
      inet4-only inet6-only show-progress help version no-cache content-disposition trust-server-names
      recursive no-parent page-requisites convert-links mirror`,
    values: `t T w Q U l A R D tries timeout wait quota user-agent header level accept reject domains user password method
      max-redirect limit-rate waitretry connect-timeout dns-timeout read-timeout post-data body-data referer`,
    writes:
      'O output-document o output-file a append-output P directory-prefix save-cookies hsts-file warc-file',
    sends: 'i input-file post-file body-file',
  },
}

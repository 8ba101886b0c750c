import { sortArguments } from './arguments.ts'
import { UNKNOWN } from '../pattern.ts'
import type { Invocation, Reading } from './reading.ts'
import { caution, merge, optionCautions, reading, uses } from './reading.ts'

const CURL = {
  flags: 'sSLfiIvkgG46#jlnNaqMVh0123',
  longs: `silent show-error location fail fail-with-body fail-early include head verbose insecure globoff get ipv4 ipv6
    progress-bar compressed http1.0 http1.1 http2 http3 tlsv1.2 tlsv1.3 no-progress-meter no-buffer parallel path-as-is
    raw tcp-nodelay tr-encoding version help retry-connrefused retry-all-errors location-trusted styled-output`,
  values: `u user H A X d e m r w y Y z C data data-ascii data-raw data-binary data-urlencode header user-agent request referer
    max-time connect-timeout retry retry-delay retry-max-time range write-out limit-rate max-redirs max-filesize json url
    url-query request-target`,
}

/** Whoever allows curl allows the network; files that it writes or sends, and `file:` addresses, are another matter. */
export function readCurl({ args }: Invocation): Reading {
  const found = sortArguments(args, CURL)
  const sent = found.options.some(
    ({ name, value }) =>
      /^(-d|-H|--data|--json|--header)/.test(name) &&
      /^@|^[\w-]+@|=@/.test(value?.text ?? '') &&
      !name.endsWith('-raw'),
  )
  const format = found.options.some(
    ({ name, value }) => /^(-w|--write-out)$/.test(name) && /@|%output/.test(value?.text ?? ''),
  )
  const urls = [
    ...found.operands,
    ...found.options.flatMap(({ name, value }) => (name === '--url' && value !== null ? [value] : [])),
  ]
  const odd = urls.some((url) => url.text.includes(UNKNOWN) || !isWeb(url.text))
  return merge(
    optionCautions('curl', found.unknown),
    sent || format ? caution('sends or writes a file') : reading({}),
    odd ? caution('uses an address that is not known or no web address') : reading({}),
    uses('read', found.reads),
  )
}

function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url) || !/^[a-z][a-z0-9+.-]*:/i.test(url) || /^[\w.-]+:\d+(\/|$)/.test(url)
}

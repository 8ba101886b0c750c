import { sortArguments } from './arguments.ts'
import { UNKNOWN } from '../match-pattern.ts'
import type { Field } from './field.ts'
import { isStatic, restOf, staticField } from './field.ts'
import type { Inner, Invocation, Reading } from './reading.ts'
import { caution, merge, optionCautions, reading, uses } from './reading.ts'

const CURL = {
  flags: 'sSLfiIvkgG46#jlnNaqMVh0123',
  longs: `silent show-error location fail fail-with-body fail-early include head verbose insecure globoff get ipv4 ipv6
    progress-bar compressed http1.0 http1.1 http2 http3 tlsv1.2 tlsv1.3 no-progress-meter no-buffer parallel path-as-is
    raw tcp-nodelay tr-encoding version help retry-connrefused retry-all-errors location-trusted styled-output`,
  values: `u user H A X d e m r w y Y z C data data-ascii data-raw data-binary data-urlencode header user-agent request referer
    max-time connect-timeout retry retry-delay retry-max-time range write-out limit-rate max-redirs max-filesize json url
    url-query request-target F form form-string b cookie`,
  writes:
    'o output c cookie-jar D dump-header trace trace-ascii etag-save stderr hsts alt-svc output-dir libcurl',
}

/** Options whose files are sent, or contain options for curl: each makes a call ask. */
const SENDING =
  /^(-T|--upload-file|-K|--config|-E|--cert|--key|--netrc-file|--cacert|--proxy-cert|--etag-compare|-F|--form)$/

/** An allow for curl covers the network, but not `file:` addresses or the files that curl writes or sends. */
export function readCurl({ args }: Invocation): Reading {
  const found = sortArguments(args, CURL)
  const sent = found.options.some(
    ({ name, value }) =>
      /^(-d|-H|-F|-b|--data|--json|--header|--form|--cookie)/.test(name) &&
      /^[@<]|^[\w-]+@|=[@<]/.test(value?.text ?? '') &&
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
    odd ? caution('uses an address that is unknown or is not a web address') : reading({}),
    uses('read', sentFiles(args)),
    uses('write', found.writes),
    uses('read', urls.flatMap(localFile)),
    eachAddress('curl', args, urls),
  )
}

/** One command per address, since a rule for `curl https://example.com/*` is for that host alone. */
export function eachAddress(program: string, args: readonly Field[], urls: readonly Field[]): Reading {
  if (urls.length < 2 && !args.some(({ text }) => /^--url(=|$)/.test(text))) return reading({})
  const options = args.filter((field) => !urls.includes(field) && !/^--(url|next)(=|$)|^-:$/.test(field.text))
  const leads = args[0] !== undefined && urls.includes(args[0])
  const lines = urls
    .slice(0, MAX_ADDRESSES)
    .map((url) => [staticField(program), ...(leads ? [url, ...options] : [...options, url])])
  const inner = lines.map((fields): Inner => ({ type: 'command', fields }))
  const many = urls.length > MAX_ADDRESSES ? caution('uses too many addresses') : reading({})
  return merge(reading({ inner }), many)
}

const MAX_ADDRESSES = 16

/** `-T FILE`, `-F x=@FILE`, `-d @FILE`, `-b FILE`. */
function sentFiles(args: readonly Field[]): readonly Field[] {
  return args.flatMap((field, at) => {
    const { text } = field
    const named = SENDING.test(args[at - 1]?.text ?? '') || /^-[bE]$/.test(args[at - 1]?.text ?? '')
    const sent = /^(-[a-zA-Z]|--[\w-]+=)?([\w.-]*=)?[@<]/.exec(text)?.[0]
    if (sent !== undefined) return [restOf(field, sent)]
    const attached = /^(-[TKE](?=.)|--(upload-file|config|cert|key|netrc-file)=)/.exec(text)?.[0]
    if (attached !== undefined) return [restOf(field, attached)]
    return named ? [field] : []
  })
}

/** `file:` addresses name local files. */
function localFile(url: Field): readonly Field[] {
  const prefix = /^file:(\/\/(localhost)?(?=\/))?/i.exec(url.text)?.[0]
  if (prefix === undefined) return []
  const path = restOf(url, prefix)
  try {
    const text = decodeURIComponent(path.text)
    return [{ ...path, text, uncertain: isStatic(path) ? text : path.uncertain }]
  } catch {
    return [path]
  }
}

function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url) || !/^[a-z][a-z0-9+.-]*:/i.test(url) || /^[\w.-]+:\d+(\/|$)/.test(url)
}

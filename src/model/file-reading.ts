/** How a provider's models receive files: some packages send files that they cannot convert as base64 text. */
export interface FileReading {
  /** Within a tool result; otherwise in a user message after the results. */
  readonly inResults: boolean
  reads(mediaType: string): boolean
}

/** Providers whose packages convert files of tool results, by a model's provider name. */
const IN_RESULTS = /(^|\.)anthropic(\.|$)|^(openai|azure)(-openai)?\.responses$|^(google|vertex)|bedrock/i

const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Every file, in place. */
export const allFiles: FileReading = { inResults: true, reads: () => true }
const imagesBehind: FileReading = { inResults: false, reads: (type) => IMAGES.has(type) }

/** Every file is described in words. */
export const noFiles: FileReading = { inResults: false, reads: () => false }

export function fileReading(provider: string): FileReading {
  return IN_RESULTS.test(provider) ? allFiles : imagesBehind
}

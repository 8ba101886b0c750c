/** How the models of a provider get files: the packages of some send what they cannot convert as base64 text. */
export interface FileReading {
  /** As part of a tool result; else in a user message behind the results. */
  readonly inResults: boolean
  reads(mediaType: string): boolean
}

/** Their packages convert the files of a tool result, by the provider that a model says it has. */
const IN_RESULTS = /(^|\.)anthropic(\.|$)|^(openai|azure)(-openai)?\.responses$|^(google|vertex)|bedrock/i

const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Every file, where it stands. */
export const allFiles: FileReading = { inResults: true, reads: () => true }
const imagesBehind: FileReading = { inResults: false, reads: (type) => IMAGES.has(type) }

/** Every file is described in words. */
export const noFiles: FileReading = { inResults: false, reads: () => false }

export function fileReading(provider: string): FileReading {
  return IN_RESULTS.test(provider) ? allFiles : imagesBehind
}

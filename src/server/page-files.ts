import { createReadStream, readFileSync, realpathSync, statSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { Readable } from 'node:stream'

/** The page for browsers: files of the build folder. */
export interface PageFiles {
  /** Undefined: no such file or page. */
  answer(path: string): Response | undefined
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
}

/** Pages of the client-side router, each with its own address. */
const VIEWS = /^\/(?:$|c\/|settings\b|agents\b|timeline\b)/

export function openPageFiles(folder: string): PageFiles {
  return {
    answer(path) {
      const file = fileIn(folder, path)
      if (file && path !== '/') return fileAnswer(file, path.startsWith('/assets/'))
      if (!VIEWS.test(path)) return undefined
      const index = fileIn(folder, '/index.html')
      return index ? fileAnswer(index, false) : page(200, 'The page is not built', NOT_BUILT)
    },
  }
}

const NOT_BUILT =
  '<p>The server runs, but the page for browsers was not built. In a clone: <code>npm run build:web</code>, then reload.</p>' +
  '<p>Everything works over <a href="/api/openapi.json">the API</a> and on the command line.</p>'

/** A text-only page. `body` is our own markup, never foreign text. */
function page(status: number, title: string, body: string): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title} — Offshoot</title><h1>${title}</h1>${body}</html>`
  return new Response(html, { status, headers: { 'content-type': TYPES['.html']! } })
}

/** Only files inside the folder, after following links; undefined for everything else. */
function fileIn(folder: string, path: string): string | undefined {
  try {
    const root = realpathSync(folder)
    const file = realpathSync(join(root, decodeURIComponent(path)))
    return file.startsWith(root + sep) && statSync(file).isFile() ? file : undefined
  } catch {
    return undefined // missing, or an invalid path
  }
}

/** Built files have a hash of their content in their names. */
function fileAnswer(file: string, isForGood: boolean): Response {
  const type = TYPES[extname(file)] ?? 'application/octet-stream'
  const headers = {
    'content-type': type,
    ...(isForGood ? { 'cache-control': 'private, max-age=31536000, immutable' } : {}),
  }
  if (statSync(file).size < 1024 * 1024) return new Response(readFileSync(file), { headers })
  return new Response(Readable.toWeb(createReadStream(file)) as ReadableStream, { headers })
}

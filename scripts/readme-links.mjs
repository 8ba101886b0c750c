// On a registry's page a relative link leads nowhere.

const LINK = /(!?)(\[(?:[^[\]]|!\[[^\]]*\])*\]\()(?!https?:|#)([^)\s]+)\)/g

/**
 * The address of a repository as people open it, from the field of a manifest; undefined where there is none.
 * @param {string | { readonly url?: string } | undefined} repository
 */
export function webAddress(repository) {
  const url = typeof repository === 'string' ? repository : repository?.url
  return url
    ?.replace(/^git\+/, '')
    .replace(/\.git$/, '')
    .replace(/\/$/, '')
}

/**
 * Markdown whose links to files of the repository are absolute.
 * @param {string} text
 * @param {string} address
 */
export function absoluteLinks(text, address) {
  return text.replaceAll(
    LINK,
    (_, image, label, path) => `${image}${label}${address}/${image ? 'raw' : 'blob'}/HEAD/${path})`,
  )
}

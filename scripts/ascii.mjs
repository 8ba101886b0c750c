// One character beyond Latin-1 makes Node keep a whole file in two bytes a character, which takes longer to read and to
// compile.

/** The plugin of the bundler that writes such characters as what stands for them in strings and patterns. */
export function ascii() {
  return {
    name: 'ascii',
    /**
     * @param {unknown} _
     * @param {import('rolldown').OutputBundle} bundle
     */
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk') chunk.code = escaped(chunk.code)
    },
  }
}

/**
 * @param {string} code
 */
function escaped(code) {
  if (/\\[^\0-\x7f]/.test(code))
    throw new Error('a backslash before a character that is no ASCII: write it without')
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Identifies this window in recorded answers, so that another window can tell that the answer is not its own. */
export const thisWindow = `web ${crypto.getRandomValues(new Uint16Array(1))[0]?.toString(36) ?? ''}`.trim()

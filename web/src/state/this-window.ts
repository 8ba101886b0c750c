/**
 * Who answers, for the record: one name for each window, so that a second one knows that it was not itself.
 */
export const thisWindow = `web ${crypto.getRandomValues(new Uint16Array(1))[0]?.toString(36) ?? ''}`.trim()

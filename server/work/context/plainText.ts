/** Without marks of Markdown, and the mark of an entry in a list. */
export const plainText = (text: string): string =>
  text
    .replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '')
    .replace(/[*_`#>\s]+/g, ' ')
    .trim();

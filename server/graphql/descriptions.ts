/** What fields of an Agent say that are of no concern to other agents. */
export const ofItself = 'An AGENT reads this field of its own Agent only; else FORBIDDEN.';

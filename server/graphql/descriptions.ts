/** What fields of an Agent say that are of no concern to other agents. */
export const ofItself = 'With a key of role AGENT: of your own Agent alone, else FORBIDDEN.';

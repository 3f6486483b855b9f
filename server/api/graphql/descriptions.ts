/** Ends the description of each Agent field with `access: 'ownAgent'`. */
export const ofItself = 'An AGENT reads this field of its own Agent only; else FORBIDDEN.';

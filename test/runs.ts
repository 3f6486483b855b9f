/** How often a property is checked: a quarter in the short suite, for files that the long suite runs as well, with all of it. */
export const runs = (all: number): number => (process.env['BATON_TEST_WHOLE'] === undefined ? Math.ceil(all / 4) : all);

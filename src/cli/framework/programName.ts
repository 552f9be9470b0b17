// The built terminal replaces this module by another module (scripts/terminal.ts).

/** Start of a command line in a clone of the repository. */
export const PROGRAM = 'npm run turnwise --';

// The built terminal has another module in place of this one (scripts/terminal.ts).

/** Start of a command line in a clone. */
export const PROGRAM = 'npm run turnwise --';

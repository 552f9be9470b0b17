import { builtTerminal } from '../scripts/terminal.ts';

/** Path of the built terminal program; it starts several times faster than its source files. */
export const TERMINAL = await builtTerminal();

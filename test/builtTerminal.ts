import { builtTerminal } from '../scripts/terminal.ts';

/** Path of the built terminal program, which starts several times faster than its source files. */
export const TERMINAL = await builtTerminal();

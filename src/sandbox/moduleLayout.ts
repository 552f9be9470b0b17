/**
 * Where the interpreter's module marks what it has written; build/marking.ts makes it do so, guest/pages.ts reads it. A byte for each page of a
 * kilobyte (most pages that a program writes to get a count of references changed and no more), at the low
 * end of the module's stack of 10 MB, of which the uppermost 512 KB are used.
 */
export const MARKS = { table: 4_096_000, shift: 10, memory: 320 * 2 ** 20 } as const;

/**
 * Bytes that one mark stands for at most. It is that of the last one's page; where they begin on the page before, they are within its last ones.
 */
export const SPAN = 64;

/** Names that the build gives to exports: the count of the work that is left, the ceiling of the memory (build/counting.ts), and the globals that the module changes, each with its number (build/marking.ts). */
export const [WORK, CEILING, OWN_GLOBAL] = ['work_left', 'memory_ceiling', 'own_global_'] as const;

/** The stack in memory: the number of the global with its pointer, and its highest and its lowest address. Below it the module traps (build/stackFrames.ts). */
export const STACK = { pointer: 280, base: 14_473_680, lowest: 14_473_680 - 512 * 1024 } as const;

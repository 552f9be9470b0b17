/**
 * Place at which the interpreter's module marks its writes; build/marking.ts makes it do so, guest/pages.ts reads the
 * marks. The table has a byte for each page of a kilobyte (in most pages that a program writes to, only a count of
 * references changes). It is at the low end of the module's stack of 10 MB, of which the uppermost 512 KB are used.
 */
export const MARKS = { table: 4_096_000, shift: 10, memory: 320 * 2 ** 20 } as const;

/**
 * Maximum number of bytes that one mark covers. The mark is that of the page of the last byte. If the bytes begin on
 * the page before, they are within the last bytes of that page.
 */
export const SPAN = 64;

/** Names that the build gives to exports: the count of the work that is left, the ceiling of the memory (build/counting.ts), and the globals that the module changes, each with its number (build/marking.ts). */
export const [WORK, CEILING, GLOBAL_PREFIX] = ['work_left', 'memory_ceiling', 'own_global_'] as const;

/** The stack in memory: the number of the global with its pointer, and its highest and its lowest address. Below it the module traps (build/stackFrames.ts). */
export const STACK = { pointer: 280, base: 14_473_680, lowest: 14_473_680 - 512 * 1024 } as const;

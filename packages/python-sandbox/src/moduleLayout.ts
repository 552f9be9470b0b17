/**
 * Location of the table of marks in the interpreter's memory, bits from an address to its page, and maximum memory
 * [bytes]. build/marking.ts adds the code that writes the marks, and guest/pages.ts reads them. The table has one byte
 * per page of 1 KiB. Pages are small, because in most pages a program changes only a reference count. The table is at
 * the low end of the module's stack of 10 MB, of which only the upper 512 KiB are used.
 */
export const MARKS = { table: 4_096_000, shift: 10, memory: 320 * 2 ** 20 } as const;

/**
 * Maximum span that one mark covers [bytes]. The mark is for the page of the last byte. Bytes on the
 * previous page are within its last 63 bytes.
 */
export const SPAN = 64;

/**
 * Names of the exports that the build adds: the remaining work, the memory ceiling (build/counting.ts), and the prefix
 * of the mutable globals, which is followed by their index (build/marking.ts).
 */
export const [WORK, CEILING, GLOBAL_PREFIX] = ['work_left', 'memory_ceiling', 'own_global_'] as const;

/**
 * Stack in memory: index of the global with the stack pointer, highest address and lowest address. The module traps
 * below the lowest address (build/stackFrames.ts).
 */
export const STACK = { pointer: 280, base: 14_473_680, lowest: 14_473_680 - 512 * 1024 } as const;

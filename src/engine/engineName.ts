/** Name of an engine in runs, links and files. The number of `exact` increases with every change of its bits. */
export type EngineName = 'wgsl' | `exact/${number}`;

/** Name of the engine with WGSL kernels on a WebGPU device. */
export const WGSL: EngineName = 'wgsl';
/**
 * Name of the engine with WebAssembly on the CPU, whose bits are the same on all machines
 * (docs/develop/decisions/025-exact-engine.md).
 */
export const EXACT: EngineName = 'exact/1';

/** Returns true for an exact engine with any number. */
export function isExact(name: EngineName | undefined): boolean {
  return name?.startsWith('exact') === true;
}

/**
 * Parses the name of an engine: `wgsl`, `exact` for the exact engine of this version, or `exact/1` with a number.
 * @returns undefined for any other text
 */
export function readEngineName(text: unknown): EngineName | undefined {
  if (text === WGSL) return WGSL;
  if (text === 'exact') return EXACT;
  return typeof text === 'string' && /^exact\/[1-9]\d{0,5}$/.test(text) ? (text as EngineName) : undefined;
}

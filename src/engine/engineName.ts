/** Name of an engine as runs, links and files record it. The number of exact rises with every change of its bits. */
export type EngineName = 'wgsl' | `exact/${number}`;

/** WGSL kernels on a WebGPU device. */
export const WGSL: EngineName = 'wgsl';
/** WebAssembly on the processor, with the same bits everywhere (docs/develop/decisions/025-exact-engine.md). */
export const EXACT: EngineName = 'exact/1';

/** True for the engine on the processor, of any number. */
export function isExact(name: EngineName | undefined): boolean {
  return name?.startsWith('exact') === true;
}

/**
 * Reads the name of an engine: `wgsl`, `exact` for the exact engine of this version, or `exact/1` with a number.
 * @returns undefined for any other text
 */
export function readEngineName(text: unknown): EngineName | undefined {
  if (text === WGSL) return WGSL;
  if (text === 'exact') return EXACT;
  return typeof text === 'string' && /^exact\/[1-9]\d{0,5}$/.test(text) ? (text as EngineName) : undefined;
}

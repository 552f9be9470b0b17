import type { EngineDevice, EngineOptions } from '../engine.ts';
import { EXACT } from '../engineName.ts';
import { ExactEngine } from './exactEngine.ts';
import { instantiate, requireSimd } from './kernels.ts';

/** The processor as a device: every engine has a separate memory, and one thread computes all of them. */
export class ExactDevice implements EngineDevice {
  readonly engine = EXACT;
  readonly name = EXACT;
  readonly software = false;
  /** Nothing takes a processor away. */
  readonly lost = new Promise<string>(() => {});

  /** @param module the compiled kernels */
  private constructor(private readonly module: WebAssembly.Module) {}

  /**
   * Compiles the kernels.
   * @param bytes of `compiledKernels`, or of the address that the page has from `virtual:exact.wasm`
   * @throws {NoSimdError} if the browser has no WebAssembly SIMD, with the browsers that have it
   */
  static async open(bytes: BufferSource): Promise<ExactDevice> {
    requireSimd();
    return new ExactDevice(await WebAssembly.compile(bytes));
  }

  async createEngine(options: EngineOptions): Promise<ExactEngine> {
    return new ExactEngine(this, await instantiate(this.module), options);
  }

  /** Nothing is left to compile. */
  async compileAhead(): Promise<void> {}

  /** Memory that is missing is an error of the call that needs it. */
  allocate<Result extends { destroy(): void }>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  readError(): undefined {
    return undefined;
  }

  destroy(): void {}
}

import type { EngineDevice, EngineOptions } from '../engine.ts';
import { EXACT } from '../engineName.ts';
import { ExactEngine } from './exactEngine.ts';
import { instantiate, requireSimd } from './kernels.ts';

/** The CPU as a device. Each engine has a separate memory; one thread computes all engines. */
export class ExactDevice implements EngineDevice {
  readonly engine = EXACT;
  readonly name = EXACT;
  readonly software = false;
  /** Never resolves, because the CPU cannot be lost. */
  readonly lost = new Promise<string>(() => {});

  /** @param module compiled kernels */
  private constructor(private readonly module: WebAssembly.Module) {}

  /**
   * Compiles the kernels.
   * @param bytes of `compiledKernels`, or from the page's address of `virtual:exact.wasm`
   * @throws {NoSimdError} that lists browsers with SIMD, if the browser has no WebAssembly SIMD
   */
  static async open(bytes: BufferSource): Promise<ExactDevice> {
    requireSimd();
    return new ExactDevice(await WebAssembly.compile(bytes));
  }

  async createEngine(options: EngineOptions): Promise<ExactEngine> {
    return new ExactEngine(this, await instantiate(this.module), options);
  }

  /** Does nothing: `open` has compiled all kernels. */
  async compileAhead(): Promise<void> {}

  /** Runs the work. A call that lacks memory throws its own error. */
  allocate<Result extends { destroy(): void }>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  readError(): undefined {
    return undefined;
  }

  destroy(): void {}
}

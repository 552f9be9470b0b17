import type { Engine, EngineDevice, EngineOptions } from '../../../src/engine/engine.ts';
import { EXACT } from '../../../src/engine/engineName.ts';
import type { ExactDevice } from '../../../src/engine/exact/exactDevice.ts';
import type { ExactEngine } from '../../../src/engine/exact/exactEngine.ts';
import type { Space } from '../../../src/engine/exact/space.ts';

/** Exact device that a test can lose like a GPU. After the loss, all its work is rejected and `lost` resolves. */
export class LosableDevice implements EngineDevice {
  readonly engine = EXACT;
  readonly name = 'losable';
  readonly software = false;
  private isLost = false;
  private lose: (reason: string) => void = () => {};
  readonly lost = new Promise<string>((resolve) => {
    this.lose = resolve;
  });
  private engines: ExactEngine[] = [];

  constructor(private readonly exact: ExactDevice) {}

  async createEngine(options: EngineOptions): Promise<Engine> {
    const engine = await this.working(this.exact.createEngine(options));
    this.engines.push(engine);
    return new Proxy<Engine>(engine, {
      get: (_, name) => {
        const value: unknown = Reflect.get(engine, name, engine);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const result: unknown = value.apply(engine, args);
          return result instanceof Promise ? this.working(result) : result;
        };
      },
    });
  }

  async compileAhead(): Promise<void> {}

  allocate<Result extends { destroy(): void }>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  readError(): undefined {
    return undefined;
  }

  destroy(): void {
    this.isLost = true;
    this.lose('lost by a test');
  }

  /** Prevents further growth of the memory of the newest engine. */
  limitMemory(): void {
    this.space.arena.kernels.memory.grow = () => {
      throw new RangeError('WebAssembly.Memory.grow(): Unable to grow instance memory');
    };
  }

  private get space(): Space {
    return (this.engines.at(-1) as unknown as { readonly space: Space }).space;
  }

  /** Makes all activations of the newest engine NaN, and with them the loss and the gradient. */
  poison(): void {
    const { space } = this;
    space.arena.f32[space.rotation / 4] = Number.NaN;
  }

  private async working<Result>(work: Promise<Result>): Promise<Result> {
    const lost = this.lost.then((reason): never => {
      throw new Error(reason);
    });
    lost.catch(() => {});
    if (this.isLost) return lost;
    return Promise.race([work, lost]);
  }
}

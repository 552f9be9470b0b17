import type { EngineDevice } from '../../engine/engine.ts';
import { type EngineName, isExact } from '../data/configuration.ts';

/** Devices that runs request: one of an engine, or the best one. */
type Requested = 'exact' | 'wgsl' | 'best';

interface Opening {
  readonly device: Promise<EngineDevice>;
  /** Runs that have the device, or wait for it. */
  users: number;
}

/** One device of each engine for several runs: opened for the first run that needs it, again after a loss, closed by the last run. */
export class SharedDevice {
  private readonly openings = new Map<Requested, Opening>();
  private readonly opened = new Map<EngineDevice, Opening>();

  constructor(private readonly openDevice: (engine?: EngineName) => Promise<EngineDevice>) {}

  /** @param engine that the device is for; without a name, the best one @throws the error of the opening */
  open(engine?: EngineName): Promise<EngineDevice> {
    const requested = engine === undefined ? 'best' : kindOf(engine);
    const opening = this.openings.get(requested) ?? this.begin(requested, engine);
    opening.users++;
    return opening.device;
  }

  /** Gives the device up; it is closed when no run has it. */
  close(device: EngineDevice): void {
    const opening = this.opened.get(device);
    if (!opening || --opening.users > 0) return;
    this.opened.delete(device);
    this.discard(opening);
    // A lost device ignores this; a working device would keep its memory.
    device.destroy();
  }

  private begin(requested: Requested, engine: EngineName | undefined): Opening {
    const opening: Opening = { device: this.openDevice(engine), users: 0 };
    this.openings.set(requested, opening);
    opening.device.then(
      (device) => {
        this.opened.set(device, opening);
        // The best device is the device of its engine, too.
        const kind = kindOf(device.engine);
        if (!this.openings.has(kind)) this.openings.set(kind, opening);
        // Before the runs that have it learn of the loss: they open the next one at once.
        device.lost.then(() => this.discard(opening));
      },
      () => this.discard(opening),
    );
    return opening;
  }

  private discard(opening: Opening): void {
    for (const [requested, known] of this.openings) if (known === opening) this.openings.delete(requested);
  }
}

function kindOf(engine: EngineName): Requested {
  return isExact(engine) ? 'exact' : 'wgsl';
}

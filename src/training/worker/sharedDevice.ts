import type { EngineDevice } from '../../engine/engine.ts';
import { type EngineName, isExact } from '../data/configuration.ts';

/** Kind of a requested device: of an engine, or the best available device. */
type Requested = 'exact' | 'wgsl' | 'best';

interface Opening {
  readonly device: Promise<EngineDevice>;
  /** Number of runs that use the device or wait for it. */
  users: number;
}

/**
 * One device per engine for several runs. It opens for the first run and after a loss, and closes with the last run.
 */
export class SharedDevice {
  private readonly openings = new Map<Requested, Opening>();
  private readonly opened = new Map<EngineDevice, Opening>();

  constructor(private readonly openDevice: (engine?: EngineName) => Promise<EngineDevice>) {}

  /** Opens a device. @param engine engine of the device; by default the best engine @throws if it cannot be opened */
  open(engine?: EngineName): Promise<EngineDevice> {
    const requested = engine === undefined ? 'best' : kindOf(engine);
    const opening = this.openings.get(requested) ?? this.begin(requested, engine);
    opening.users++;
    return opening.device;
  }

  /** Releases a device for one run. It is closed when no run uses it. */
  close(device: EngineDevice): void {
    const opening = this.opened.get(device);
    if (!opening || --opening.users > 0) return;
    this.opened.delete(device);
    this.discard(opening);
    // No effect on a lost device. A working device frees its memory.
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
        // Registered before the handlers of the runs, which open the next device immediately.
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

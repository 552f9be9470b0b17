import type { EngineDevice } from '../../src/engine/engine.ts';
import { serveLanes } from '../../src/training/worker/serveLanes.ts';
import type { GroupBank } from './groupBank.ts';
import { ScriptedGpu } from './scriptedGpu.ts';
import { scriptedRuns } from './scriptedRuns.ts';
import { measureScripted } from './scriptedTruth.ts';

/**
 * Entry point of the scripted training worker: the session, lanes and messages of the product with runs that replay recorded
 * groups. The test server serves it in place of the training worker.
 */
const banks = import.meta.glob<GroupBank>('../fixtures/scripted/*.json', { import: 'default', eager: true });
const named = Object.fromEntries(
  Object.entries(banks).map(([path, bank]) => [path.replace(/^.*\/|\.json$/g, ''), bank]),
);

let device: ScriptedGpu | undefined;
/** Faults that a test requested before a device was opened. */
const waiting: (() => void)[] = [];

const faults = {
  'lose-device': () => device?.lose(),
  'non-finite': () => device?.poison(),
  throw: () => {
    setTimeout(() => {
      throw new Error('a test made the worker throw');
    });
  },
};

// The same function as in the script that precedes the real worker (test/browser/faults.ts).
const shared = globalThis as { breakIt?: unknown; onBreakReady?: (breakIt: unknown) => void };
shared.breakIt = async (fault: keyof typeof faults, isBlocking: boolean) => {
  while (!device) {
    if (!isBlocking) return false;
    await new Promise<void>((go) => waiting.push(go));
  }
  faults[fault]();
  return true;
};
shared.onBreakReady?.(shared.breakIt);

serveLanes(
  {
    loadRuleLibrary: async () => (await import('../../python/turnwise_rl/core.py?raw')).default,
    openDevice: async (engine) => {
      device = new ScriptedGpu(1, engine);
      for (const go of waiting.splice(0)) go();
      return device as unknown as EngineDevice;
    },
    measureTruth: measureScripted,
  },
  scriptedRuns(named),
);

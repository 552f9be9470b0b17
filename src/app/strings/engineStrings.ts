import { type EngineName, isExact, WGSL } from '../../training/data/configuration.ts';

/** Texts about the engine of a run. */
export const engineStrings = {
  label: 'Engine',
  help: 'Computes the run. After a change, the selected run continues on the other engine from its last update.',
  /** Options of the engine control. */
  options: { exact: 'Processor', wgsl: 'WebGPU' },
  exact: 'exact, on the processor: the same numbers on every machine',
  noState: 'The engine was not changed: the state of the run could not be read.',
  /** Notice if a run uses another engine than the requested one. */
  different: (requested: EngineName, got: EngineName) =>
    isExact(requested)
      ? `This run was made with engine ${requested}. It trains on ${got} here, so its numbers may differ.`
      : 'WebGPU was requested, and this browser does not provide it. The run trains on the processor; no update is lost.',
  /** Notice if the engine changed during training. */
  replaced: (got: EngineName) =>
    got === WGSL
      ? 'The run continues on WebGPU.'
      : 'The graphics card did not recover. The run continues on the processor from its last checkpoint.',
} as const;

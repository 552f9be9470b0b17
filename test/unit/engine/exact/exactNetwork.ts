import { readFile } from 'node:fs/promises';
import { compiledKernels } from '../../../../src/engine/exact/compile.ts';
import { instantiate } from '../../../../src/engine/exact/kernels.ts';
import { Learner } from '../../../../src/engine/exact/learner.ts';
import { Network } from '../../../../src/engine/exact/network.ts';
import { Parameters } from '../../../../src/engine/exact/parameters.ts';
import { Pieces } from '../../../../src/engine/exact/pieces.ts';
import { Arena, Space } from '../../../../src/engine/exact/space.ts';
import type { PolicyConfiguration } from '../../../../src/policy/weights.ts';

/** Creates a network of the exact engine with parameters and an optimizer, but without an engine. */
export async function exactNetwork(config: PolicyConfiguration, flat: Float32Array, sequences = 2) {
  const arena = new Arena(await instantiate(await WebAssembly.compile(await readFile(await compiledKernels()))));
  const space = new Space(arena, config, sequences);
  const parameters = new Parameters(arena, config);
  parameters.write(flat);
  const learner = new Learner(arena, parameters, { finite: true });
  return { arena, space, parameters, learner, network: new Network(space), pieces: new Pieces(space) };
}

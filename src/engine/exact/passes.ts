import type { ReportLine } from '../../objective/objective.ts';
import type { Sequence } from '../../policy/batch.ts';
import type { AdamWStep } from '../../policy/optimizer.ts';
import { type ParameterLayout, parameterLayout } from '../../policy/weights.ts';
import { type Health, Learner } from './learner.ts';
import { emptySums, type Sums } from './losses.ts';
import { type Heads, Network } from './network.ts';
import { Parameters } from './parameters.ts';
import { type Piece, Pieces } from './pieces.ts';
import type { Arena, Space } from './space.ts';

export const POLICY: Heads = { logits: true, values: false };
export const CRITIC: Heads = { logits: false, values: true };
/** Index of the log-probability among the outputs of a target. */
export const LOG_PROBABILITY = 1;
/** Index of the value among the outputs of a target. */
export const VALUE = 3;

/** Trained network: parameters and optimizer. */
export class Trained {
  readonly parameters: Parameters;
  readonly learner: Learner;

  constructor(arena: Arena, config: Space['config'], health: Health) {
    this.parameters = new Parameters(arena, config);
    this.learner = new Learner(arena, this.parameters, health);
  }

  get layout(): ParameterLayout {
    return this.parameters.layout;
  }

  read() {
    return { parameters: this.parameters.read(), ...this.learner.read() };
  }

  destroy(): void {
    this.parameters.destroy();
    this.learner.destroy();
  }
}

/** Returns the configuration of a critic of a policy. */
export function withValueHead(config: Space['config']): Space['config'] {
  const valued = { ...config, valueHead: true };
  parameterLayout(valued);
  return valued;
}

/** Passes over minibatches in a space, one piece at a time. */
export class Passes {
  readonly network: Network;
  private readonly pieces: Pieces;

  constructor(readonly space: Space) {
    this.network = new Network(space);
    this.pieces = new Pieces(space);
  }

  /** Runs only forward passes. @param act reads the outputs of a piece */
  infer(parameters: Parameters, sequences: readonly Sequence[], heads: Heads, act: (piece: Piece) => void): void {
    this.pieces.each(sequences, (piece) => {
      this.network.forward(parameters, piece.rows, piece.targets, heads);
      act(piece);
    });
  }

  /** Returns one output of all targets, in order. */
  outputs(parameters: Parameters, sequences: readonly Sequence[], heads: Heads, output: number): Float32Array {
    const values: number[] = [];
    const { space } = this;
    this.infer(parameters, sequences, heads, ({ targets }) => {
      for (let i = 0; i < targets; i++) values.push(space.arena.f32[space.outputs / 4 + 4 * i + output]);
    });
    return Float32Array.from(values);
  }

  /**
   * Computes the gradient of a loss over a minibatch.
   * @param loss writes the slopes of a piece and adds to the sums @param together see Pieces.each
   */
  gradient(
    { parameters, learner }: Trained,
    sequences: readonly Sequence[],
    heads: Heads,
    loss: (piece: Piece, sums: Sums) => void,
    together = 1,
  ): Sums {
    const sums = emptySums();
    learner.begin();
    this.pieces.each(
      sequences,
      (piece) => {
        this.network.forward(parameters, piece.rows, piece.targets, heads);
        loss(piece, sums);
        this.network.backward(parameters, learner.gradient, piece.rows, piece.targets, heads);
      },
      together,
    );
    return sums;
  }

  /** Computes the gradient and takes a step of the optimizer. */
  learn(
    trained: Trained,
    sequences: readonly Sequence[],
    heads: Heads,
    loss: (piece: Piece, sums: Sums) => void,
    step: AdamWStep,
    together = 1,
  ): ReportLine {
    const sums = this.gradient(trained, sequences, heads, loss, together);
    return { ...sums, gradientNorm: trained.learner.step(step, sums.loss) };
  }
}

/**
 * Yields to the event queue of the thread, so that messages arrive within the time of one minibatch. It uses a channel,
 * because timers wait at least 4 ms.
 */
export function rest(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

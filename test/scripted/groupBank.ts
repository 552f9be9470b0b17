import type { StepResult } from '../../src/environments/environment.ts';
import {
  addTurn,
  type CollectedTurn,
  gather,
  openSequence,
  type RunningSequence,
} from '../../src/training/collect/batch.ts';
import type { SampledBatch } from '../../src/training/collect/collector.ts';

/** One turn of a recorded group. */
interface RecordedTurn {
  /** Sequence and turn that this turn continues, as indices in the group; null for a first turn. */
  readonly parent: readonly [sequence: number, turn: number] | null;
  readonly stepResult: StepResult;
}

/** One sequence of a recorded group: its tokens, and the turn that wrote each token (-1 for the environment). */
interface RecordedSequence {
  readonly tokens: readonly number[];
  readonly turnOf: readonly number[];
  /** Log-probability of each token and entropy [nats], [tokens]; null for tokens of the environment. */
  readonly logProb: readonly (number | null)[];
  readonly entropy: readonly (number | null)[];
  readonly toolProbability?: number;
  readonly turns: readonly RecordedTurn[];
}

/** Group of rollouts that a real run sampled. */
export interface RecordedGroup {
  readonly question: string;
  readonly sequences: readonly RecordedSequence[];
}

/** Groups that one real run sampled, and the link and number of updates of the run. */
export interface GroupBank {
  readonly recordedWith: string;
  readonly groups: readonly RecordedGroup[];
}

/** Inverse of the precision of recorded log-probabilities and entropies: they have four decimal places. */
const DECIMALS = 1e4;

/** Returns the groups of a batch in the form of a fixture. */
export function recordGroups(batch: SampledBatch): RecordedGroup[] {
  const known = (values: Float32Array) =>
    Array.from(values, (value) => (Number.isNaN(value) ? null : Math.round(value * DECIMALS) / DECIMALS));
  return batch.groups.map((group, index) => {
    const rollouts = batch.rollouts.slice(batch.rolloutOffset[index], batch.rolloutOffset[index + 1]);
    const first = batch.forest.groupOffset[index];
    const positions = new Map(
      rollouts.flatMap(({ turns }, sequence) =>
        turns.map(({ forestTurn }, turn) => [forestTurn - first, [sequence, turn] as const]),
      ),
    );
    const sequences = rollouts.map(({ tokens, turnOf, logProb, entropy, toolProbability, turns }) => ({
      tokens: [...tokens],
      turnOf: [...turnOf],
      logProb: known(logProb),
      entropy: known(entropy),
      ...(toolProbability === undefined ? {} : { toolProbability }),
      turns: turns.map(({ forestTurn, ...stepResult }) => {
        const { reply: _, prompt: __, ...rest } = stepResult as StepResult;
        return { parent: positions.get(group.turns[forestTurn - first].parent) ?? null, stepResult: rest };
      }),
    }));
    return { question: batch.questions[index], sequences };
  });
}

/**
 * Creates a batch of recorded groups in the form in which a collector returns batches.
 * @param groupSize maximum number of first turns of a group
 * @param tasks [groups]
 */
export function createSampledBatch(
  step: number,
  groups: readonly RecordedGroup[],
  groupSize: number,
  tasks: readonly unknown[],
): SampledBatch {
  const sequences: RunningSequence[] = [];
  const recorded: RecordedSequence[] = [];
  const roots = groups.map((group, index) => {
    const rollouts = firstRollouts(group, groupSize).map((sequence) => {
      const running = openSequence(sequences.length, index, []);
      running.tokens.push(...sequence.tokens);
      running.turnOf.push(...sequence.turnOf);
      running.toolProbability = sequence.toolProbability;
      sequences.push(running);
      recorded.push(sequence);
      return running;
    });
    return joinTurns(group, rollouts);
  });
  const context = Math.max(...recorded.map(({ tokens }) => tokens.length));
  const sampled = new Float32Array(4 * context * recorded.length);
  recorded.forEach(({ logProb, entropy }, number) => {
    logProb.forEach((value, at) => {
      sampled[4 * (number * context + at)] = value ?? 0;
      sampled[4 * (number * context + at) + 1] = entropy[at] ?? 0;
    });
  });
  const questions = groups.map(({ question }) => question);
  return { ...gather(roots, sampled, context, { step, questions, executeMs: 0 }), tasks };
}

/** Returns the sequences of the first rollouts of a group, or all sequences of a tree, which depend on one another. */
function firstRollouts({ sequences }: RecordedGroup, groupSize: number): readonly RecordedSequence[] {
  const isTree = sequences.some(({ turns }) => turns[0].parent !== null);
  return isTree ? sequences : sequences.slice(0, groupSize);
}

/** Connects the turns of the sequences of a group. Returns the first turns in the order of their sequences. */
function joinTurns({ sequences }: RecordedGroup, running: readonly RunningSequence[]): CollectedTurn[] {
  return running.flatMap((sequence, number) => {
    const added = sequences[number].turns.map(({ parent, stepResult }, turn) => {
      const position = { sequence, parent: parent ? running[parent[0]].turns[parent[1]] : undefined };
      return addTurn(position, stepResult, sequence.turnOf.filter((of) => of === turn).length);
    });
    return added.filter(({ parent }) => parent === undefined);
  });
}

import { describe, expect, test } from 'vitest';
import {
  type Aggregation,
  clippedSurrogate,
  klK1,
  klK3,
  type ObjectiveWeights,
  probabilityRatio,
  tokenLoss,
  tokenWeights,
} from '../../../src/objective/surrogate.ts';
import { expectClose, published, vectorFile } from '../../vectorFile.ts';

type Rows = readonly (readonly number[])[];

interface PolicyFile {
  readonly mask: Rows;
  readonly advantages: Rows;
  readonly returns: Rows;
  readonly oldLogProbs: Rows;
  readonly referenceLogProbs: Rows;
  readonly oldValues: Rows;
  readonly objective: ObjectiveWeights;
  readonly expected: {
    readonly logProbs: Rows;
    readonly entropy: Rows;
    readonly values: Rows;
    readonly ratio: Rows;
    readonly clipFraction: number;
    readonly kl: number;
    readonly byAggregation: Readonly<Record<Aggregation, { readonly loss: number }>>;
  };
}

describe.each(['policy.json', 'policy-plain.json'])('the objective at the policy tokens of %s', (name) => {
  const file = vectorFile<PolicyFile>(name);
  const { expected } = file;
  const sequences = file.mask.map((mask, row) =>
    mask.flatMap((policy, t) => {
      if (policy === 0) return [];
      const token = {
        logProb: expected.logProbs[row][t],
        oldLogProb: file.oldLogProbs[row][t],
        referenceLogProb: file.referenceLogProbs[row][t],
        advantage: file.advantages[row][t],
        entropy: expected.entropy[row][t],
        critic: { value: expected.values[row][t], oldValue: file.oldValues[row][t], return: file.returns[row][t] },
      };
      return [{ ...tokenLoss(token, file.objective), expectedRatio: expected.ratio[row][t] }];
    }),
  );
  const tokens = sequences.flat();
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

  // The file has 8 significant digits.
  test('ratio, KL and clip fraction equal the values of the file', () => {
    expectClose(
      tokens.map((token) => token.ratio),
      tokens.map((token) => token.expectedRatio),
      1e-6,
    );
    expectClose([mean(tokens.map((token) => token.klReference))], [expected.kl], 1e-6);
    const clipped = tokens.map((token) => Number(token.clippedLow || token.clippedHigh));
    expectClose([mean(clipped)], [expected.clipFraction], 1e-7);
  });

  test.each(['token-mean', 'sequence-mean'] as const)(
    'the loss with %s aggregation equals the value of the file',
    (aggregation) => {
      const weights = tokenWeights(
        sequences.map((sequence) => sequence.length),
        aggregation,
      );
      const loss = sequences.flatMap((sequence, row) => sequence.map((token) => weights[row] * token.loss));
      expectClose([loss.reduce((sum, value) => sum + value, 0)], [expected.byAggregation[aggregation].loss], 1e-6);
    },
  );
});

describe('published numbers (published.json)', () => {
  test('clippedSurrogate agrees with PPO clip in NVIDIA-NeMo/RL test_loss_functions.py', () => {
    type Inputs = { adv: number[]; old_lp: number[]; new_lp: number[]; eps: number };
    const { inputs, expected, tolerance } = published<Inputs, { token: number[] }>('nemo-ppo-clip');
    const { adv, old_lp, new_lp, eps } = inputs;
    const loss = adv.map((A, i) => -clippedSurrogate(probabilityRatio(new_lp[i], old_lp[i]), A, eps, eps).value);
    expectClose(loss, expected.token, tolerance);
  });

  test('klK1 and klK3 agree with the KL estimators in NovaSky-AI/SkyRL test_ppo_utils.py', () => {
    type Inputs = { lp: number[]; ref_lp: number[]; mask: number[] };
    const { inputs, expected, tolerance } = published<Inputs, { k1: number[]; k3: number[] }>('skyrl-kl');
    const at = (estimate: typeof klK1) =>
      inputs.lp.map((lp, i) => inputs.mask[i] * estimate(lp, inputs.ref_lp[i]).value);
    expectClose(at(klK1), expected.k1, tolerance);
    expectClose(at(klK3), expected.k3, tolerance);
  });

  test('klK3 agrees with k3 in NVIDIA-NeMo/RL test_loss_functions.py', () => {
    const { inputs, expected, tolerance } = published<{ lp: number[]; ref_lp: number[] }, { k3: number[] }>(
      'nemo-kl-loss',
    );
    const k3 = inputs.lp.map((lp, i) => klK3(lp, inputs.ref_lp[i]).value);
    expectClose(k3, expected.k3, tolerance);
  });

  test('klK1 and klK3 far from 0 agree with NVIDIA-NeMo/RL test_loss_functions.py', () => {
    type Expected = { k1: number[]; k3: number[] };
    const { inputs, expected, tolerance } = published<{ lp: number[]; ref_lp: number[] }, Expected>('nemo-kl');
    const at = (estimate: typeof klK1) => inputs.lp.map((lp, i) => estimate(lp, inputs.ref_lp[i]).value);
    expectClose(at(klK1), expected.k1, tolerance);
    expectClose(at(klK3), expected.k3, tolerance);
  });

  test('the clipped loss from logits agrees with google-deepmind/rlax policy_gradients_test.py', () => {
    type Inputs = { logits: Rows; old_logits: Rows; actions: number[]; advantages: Rows; eps: number };
    const { inputs, expected, tolerance } = published<Inputs, number[]>('rlax-clipped-surrogate');
    const { logits, old_logits, actions, advantages, eps } = inputs;
    const logProb = (row: readonly number[], action: number) =>
      row[action] - Math.log(row.reduce((sum, logit) => sum + Math.exp(logit), 0));
    const ratios = actions.map((a, t) => probabilityRatio(logProb(logits[t], a), logProb(old_logits[t], a)));
    const loss = advantages.map((A) => {
      const parts = ratios.map((ratio, t) => -clippedSurrogate(ratio, A[t], eps, eps).value);
      return parts.reduce((sum, part) => sum + part, 0) / parts.length;
    });
    expectClose(loss, expected, tolerance);
  });

  test.each([
    ['token_mean', 'token-mean'],
    ['sequence_mean', 'sequence-mean'],
    ['all_masked', 'token-mean'],
  ] as const)('tokenWeights agrees with NovaSky-AI/SkyRL test_ppo_utils.py: %s', (reduction, aggregation) => {
    type Inputs = Record<string, { x: Rows; mask: Rows }>;
    const { inputs, expected, tolerance } = published<Inputs, Record<string, number>>('skyrl-reductions');
    const { x, mask } = inputs[reduction];
    const weights = tokenWeights(
      mask.map((row) => row.reduce((sum, value) => sum + value, 0)),
      aggregation,
    );
    const parts = x.flatMap((row, i) => row.map((value, t) => weights[i] * mask[i][t] * value));
    expectClose([parts.reduce((sum, part) => sum + part, 0)], [expected[reduction]], tolerance);
  });

  test('tokenWeights of unequal micro-batches is the mean over all tokens, as in OpenRLHF test_loss_aggregation.py', () => {
    type Inputs = { micro_batches: readonly Rows[] };
    const { inputs, expected, tolerance } = published<Inputs, Record<string, number>>('openrlhf-grad-accum');
    // Weights are computed for the whole batch, regardless of its micro-batches.
    const rows = inputs.micro_batches.flat();
    const weights = tokenWeights(
      rows.map((row) => row.length),
      'token-mean',
    );
    const mean = rows.reduce((sum, row, i) => sum + weights[i] * row.reduce((part, value) => part + value, 0), 0);
    expectClose([mean], [expected.global_token_mean], tolerance);
  });

  test.each([
    ['openrlhf-token-mean', 'token-mean'],
    ['openrlhf-seq-mean', 'sequence-mean'],
    ['openrlhf-fully-masked', 'sequence-mean'],
  ] as const)('tokenWeights agrees with OpenRLHF test_loss_aggregation.py: %s', (id, aggregation) => {
    const { inputs, expected, tolerance } = published<{ loss: Rows; mask: Rows }, number>(id);
    const weights = tokenWeights(
      inputs.mask.map((mask) => mask.reduce((sum, value) => sum + value, 0)),
      aggregation,
    );
    const parts = inputs.loss.flatMap((row, i) => row.map((loss, t) => weights[i] * inputs.mask[i][t] * loss));
    expect(Math.abs(parts.reduce((sum, part) => sum + part, 0) - expected)).toBeLessThanOrEqual(tolerance);
  });
});

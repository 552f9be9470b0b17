import { expect, test } from 'vitest';
import { sharedRatio, tokenLoss } from '../../../src/objective/surrogate.ts';
import { ADAMW } from '../../../src/policy/optimizer.ts';
import { referenceTokens } from '../../reference/network.ts';
import { type Lesson, lessons, openRun, referenceOf, testParameters } from './policyRun.ts';
import { SHAPES } from './policyShapes.ts';

const SETTINGS = { clipLow: 0.02, clipHigh: 0.03, klCoef: 0.3, entropyCoef: 0.05, valueCoef: 0.5, valueClip: 0.2 };
const config = SHAPES['heads of 4, 3 layers, smear, value'];
const parameters = testParameters(config, 3);

/**
 * Levels at which tokens of a lesson share a ratio: none (`token`), one of three turns of about a third of the
 * sequence, or the whole sequence.
 */
const LEVELS = {
  token: () => undefined,
  turn: ({ tokens }: Lesson) => tokens.map((_, t) => Math.floor((3 * t) / tokens.length)),
  sequence: ({ tokens }: Lesson) => tokens.map(() => 0),
};

/** Returns the targets of lessons in their order as lists; the targets of a list share one ratio. */
function sharing(all: readonly Lesson[], level: keyof typeof LEVELS) {
  const tensors = referenceOf(config, parameters);
  return all.flatMap((lesson) => {
    const shares = LEVELS[level](lesson);
    const targets = referenceTokens(config, tensors, lesson.tokens).flatMap(({ logProb, entropy, value }, index) => {
      const t = index + 1;
      const [oldLogProb, referenceLogProb, oldValue, reward] = lesson.recorded[t];
      const critic = { value, oldValue, return: reward };
      const token = { logProb, oldLogProb, referenceLogProb, advantage: lesson.advantages[t], entropy, critic };
      return lesson.weights[t] === 0 ? [] : [{ token, weight: lesson.weights[t], share: shares?.[t] ?? t }];
    });
    return [...new Set(targets.map(({ share }) => share))].map((share) =>
      targets.filter((target) => target.share === share),
    );
  });
}

test.each(['token', 'turn', 'sequence'] as const)('the loss with one ratio per %s equals float64', async (level) => {
  // One sequence has one target, one has none, and one is longer than the number of lanes of a workgroup.
  const all = lessons(config, parameters, [31, 2, 1, 23, 48, 5, 53, 17]);
  const shared = level !== 'token';
  const run = await openRun(config, all.length);
  run.policy.start(parameters);
  const { line } = await run.update(
    all.map((lesson) => ({ ...lesson, shares: LEVELS[level](lesson) })),
    SETTINGS,
    { ...ADAMW, learningRate: 0 },
    shared,
  );
  const lists = sharing(all, level);
  const expected = lists.flatMap((list) => {
    const ratio = sharedRatio(list.map(({ token }) => token));
    // No ratio is so near a bound that rounding decides on the clip.
    for (const bound of [0.98, 1.03]) expect(Math.abs(ratio - bound)).toBeGreaterThan(1e-5);
    return list.map(({ token, weight }) => ({ weight, ...tokenLoss(token, SETTINGS, ratio) }));
  });
  const flat = await run.floats(run.policy.workspace.lossGradient, 4 * expected.length);
  const slopes = expected.flatMap(({ weight, dLogProb, dEntropy, dValue }) =>
    [dLogProb, dEntropy, dValue, 0].map((slope) => weight * slope),
  );
  const gaps = slopes.map((slope, index) => Math.abs(slope - flat[index]));
  expect(Math.max(...gaps)).toBeLessThan(1e-5);
  expect(Math.max(...slopes.map(Math.abs))).toBeGreaterThan(1e-2);
  expect(line.loss).toBeCloseTo(
    expected.reduce((sum, { weight, loss }) => sum + weight * loss, 0),
    4,
  );
  const clipped = (side: 'clippedLow' | 'clippedHigh') => expected.filter((token) => token[side]).length;
  expect([line.clipLow, line.clipHigh]).toEqual([clipped('clippedLow'), clipped('clippedHigh')]);
  expect(Math.min(line.clipLow, line.clipHigh)).toBeGreaterThan(0);
  // The KL divergence from the old policy is a sum over tokens at each level.
  const moved = expected.reduce((sum, { klOld }) => sum + klOld, 0);
  expect(Math.abs(line.klOld - moved)).toBeLessThan(1e-3);
  run.close();
});

test('tokens that share ratio, weight and advantage have gradients of the same bits and one clip', async () => {
  const all = lessons(config, parameters, [31, 23, 48]).map((lesson) => {
    const shares = LEVELS.turn(lesson);
    return {
      ...lesson,
      shares,
      weights: lesson.weights.map((weight) => (weight === 0 ? 0 : 0.01)),
      advantages: shares.map((turn) => [1.5, -0.5, 0.7][turn]),
      recorded: lesson.recorded.map(([logProb, , value, reward]) => [logProb, 0, value, reward] as const),
    };
  });
  const run = await openRun(config, all.length);
  run.policy.start(parameters);
  const settings = { ...SETTINGS, klCoef: 0 };
  const { line } = await run.update(all, settings, { ...ADAMW, learningRate: 0 }, true);
  const lists = sharing(all, 'turn');
  const count = lists.reduce((sum, { length }) => sum + length, 0);
  const flat = await run.floats(run.policy.workspace.lossGradient, 4 * count);
  let first = 0;
  let clipped = 0;
  for (const list of lists) {
    const slopes = new Set(list.map((_, index) => flat[4 * (first + index)]));
    expect(slopes.size).toBe(1);
    if (slopes.has(0)) clipped += list.length;
    first += list.length;
  }
  expect(clipped).toBeGreaterThan(0);
  expect(line.clipLow + line.clipHigh).toBe(clipped);
  run.close();
});

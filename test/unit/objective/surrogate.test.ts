import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { preferenceLoss, sigmoid } from '../../../src/objective/objective.ts';
import {
  clippedSurrogate,
  klK1,
  klK3,
  type ObjectiveWeights,
  type PolicyToken,
  sharedRatio,
  tokenLoss,
  tokenWeights,
  valueLoss,
} from '../../../src/objective/surrogate.ts';

const weights: ObjectiveWeights = {
  clipLow: 0.2,
  clipHigh: 0.28,
  klCoef: 0.05,
  entropyCoef: 0.01,
  valueCoef: 0.5,
  valueClip: 0.2,
};

describe('clippedSurrogate', () => {
  test.each([
    // ratio, A: value, derivative by logp, clipped
    [1, 2, 2, 2, undefined], // inside: ratio A, and d(ratio A)/d logp = ratio A
    [1.2, -1, -1.2, -1.2, undefined],
    [1.5, 2, 2.56, 0, 'high'], // 1.28 * 2
    [1.5, -2, -3, -3, undefined], // A < 0: no clip above 1, so the gradient lowers the probability at any ratio
    [0.5, -2, -1.6, 0, 'low'], // 0.8 * -2
    [0.5, 2, 1, 1, undefined],
    [1.5, 0, 0, 0, undefined],
  ])(
    'clipped surrogate with clip 0.2 and 0.28 equals a calculation by hand: ratio %d, A %d',
    (ratio, A, value, derivative, clipped) => {
      const term = clippedSurrogate(ratio, A, 0.2, 0.28);
      expect(term.value).toBeCloseTo(value, 12);
      expect(term.derivative).toBeCloseTo(derivative, 12);
      expect([term.clippedLow, term.clippedHigh]).toEqual([clipped === 'low', clipped === 'high']);
    },
  );
});

describe('valueLoss', () => {
  test.each([
    // V, old V, R: value, derivative by V
    [0.5, 0.4, 1, 0.125, -0.5], // inside the clip: 0.5 * 0.5^2
    [0.9, 0.4, 1, 0.08, 0], // Vclip = 0.6: 0.5 * 0.4^2, and the derivative is 0
    [0.9, 0.4, 0, 0.405, 0.9], // away from the target: the square without clip is larger
  ])(
    'value loss with clip 0.2 equals a calculation by hand: V %d, old V %d, R %d',
    (value, oldValue, target, loss, derivative) => {
      const term = valueLoss({ value, oldValue, return: target }, 0.2);
      expect(term.value).toBeCloseTo(loss, 12);
      expect(term.derivative).toBeCloseTo(derivative, 12);
    },
  );
});

test('the slope of the value loss inside the clip is V - R, regardless of the rounding of the two squares', () => {
  const number = fc.double({ min: -3, max: 3, noNaN: true });
  fc.assert(
    fc.property(number, number, fc.double({ min: -0.99, max: 0.99, noNaN: true }), (oldValue, target, moved) => {
      const value = oldValue + 0.2 * moved;
      const { derivative } = valueLoss({ value, oldValue, return: target }, 0.2);
      expect(derivative).toBe(value - target);
    }),
  );
});

test('klK3 is e - 2 for a reference one nat above, never negative, and accurate for small differences', () => {
  expect(klK3(-1, 0).value).toBeCloseTo(Math.E - 2, 12);
  expect(klK1(-1, 0).value).toBe(-1);
  // d^2 / 2 for d = 1e-6
  expect(klK3(-1, -1 + 1e-6).value / 5e-13).toBeCloseTo(1, 3);
  fc.assert(
    fc.property(fc.double({ min: -20, max: 0, noNaN: true }), fc.double({ min: -20, max: 0, noNaN: true }), (p, q) => {
      expect(klK3(p, q).value).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('the loss of a token under an unchanged policy is -A minus the entropy bonus, with KL 0', () => {
  const token: PolicyToken = { logProb: -2, oldLogProb: -2, referenceLogProb: -2, advantage: 1.5, entropy: 3 };
  const result = tokenLoss(token, weights);
  expect(result.loss).toBeCloseTo(-1.5 - 0.01 * 3, 12);
  expect([result.ratio, result.klReference, result.klReferenceK1, result.klOld, result.klOldK3]).toEqual([
    1, 0, 0, 0, 0,
  ]);
  expect(result.dLogProb).toBeCloseTo(-1.5, 12);
  expect([result.dEntropy, result.valueLoss, result.dValue]).toEqual([-0.01, 0, 0]);
});

test('the derivatives of tokenLoss agree with finite differences', () => {
  const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
  const tokens = fc.record({
    logProb: number(-4, -0.5),
    oldLogProb: number(-4, -0.5),
    referenceLogProb: number(-4, -0.5),
    advantage: number(-3, 3),
    entropy: number(0, 4),
    critic: fc.record({ value: number(-2, 2), oldValue: number(-2, 2), return: number(-2, 2) }),
  });
  const h = 1e-6;
  fc.assert(
    fc.property(tokens, (token) => {
      const { ratio, dLogProb, dEntropy, dValue } = tokenLoss(token, weights);
      const { critic } = token;
      const slope = (vary: (step: number) => PolicyToken) =>
        (tokenLoss(vary(h), weights).loss - tokenLoss(vary(-h), weights).loss) / (2 * h);
      // At a breakpoint, the two sides differ and there is no derivative to compare with.
      const isNearBreakpoint = (at: number, breakpoint: number) => Math.abs(at - breakpoint) < 1e-3;
      fc.pre(!isNearBreakpoint(ratio, 0.8) && !isNearBreakpoint(ratio, 1.28));
      const moved = Math.abs(critic.value - critic.oldValue);
      const Vclip = critic.oldValue + Math.max(-0.2, Math.min(0.2, critic.value - critic.oldValue));
      const sameSquare = isNearBreakpoint(Math.abs(critic.value - critic.return), Math.abs(Vclip - critic.return));
      fc.pre(!isNearBreakpoint(moved, 0.2) && (moved < 0.2 || !sameSquare));

      expect(slope((step) => ({ ...token, logProb: token.logProb + step }))).toBeCloseTo(dLogProb, 4);
      expect(slope((step) => ({ ...token, entropy: token.entropy + step }))).toBeCloseTo(dEntropy, 6);
      expect(slope((step) => ({ ...token, critic: { ...critic, value: critic.value + step } }))).toBeCloseTo(dValue, 5);
    }),
  );
});

describe('a shared ratio of tokens', () => {
  const plain: ObjectiveWeights = { ...weights, klCoef: 0, entropyCoef: 0, valueCoef: 0 };
  const token = (ratio: number, advantage: number): PolicyToken => {
    return { logProb: -2 + Math.log(ratio), oldLogProb: -2, referenceLogProb: -2, advantage, entropy: 1 };
  };

  test('sharedRatio is the geometric mean of the token ratios: sqrt(2 * 0.5) = 1, sqrt(2 * 1.28) = 1.6', () => {
    expect(sharedRatio([token(2, 1), token(0.5, 1)])).toBeCloseTo(1, 12);
    expect(sharedRatio([token(2, 1), token(1.28, 1)])).toBeCloseTo(1.6, 12);
    expect(sharedRatio([token(1.3, 1)])).toBeCloseTo(1.3, 12);
  });

  test('a shared ratio clips all its tokens or none, with losses computed by hand', () => {
    // Ratios 2 and 0.5 with A = 1.5: separately, the first is clipped at 1.28 and the second has the slope -0.5 * 1.5.
    const pair = [token(2, 1.5), token(0.5, 1.5)];
    const individual = pair.map((policyToken) => tokenLoss(policyToken, plain));
    expect(individual.map(({ clippedHigh }) => clippedHigh)).toEqual([true, false]);
    expect(individual[0].dLogProb).toBeCloseTo(0, 12);
    expect(individual[1].dLogProb).toBeCloseTo(-0.75, 12);
    // Their shared ratio is 1: no token is clipped, and both have the slope -1 * 1.5.
    for (const policyToken of pair) {
      const result = tokenLoss(policyToken, plain, sharedRatio(pair));
      expect([result.clippedLow, result.clippedHigh]).toEqual([false, false]);
      expect(result.loss).toBeCloseTo(-1.5, 12);
      expect(result.dLogProb).toBeCloseTo(-1.5, 12);
    }
    // The shared ratio of 2 and 1.28 is 1.6: both tokens are clipped, with the value 1.28 * 1.5 = 1.92.
    const above = [token(2, 1.5), token(1.28, 1.5)];
    for (const policyToken of above) {
      const result = tokenLoss(policyToken, plain, sharedRatio(above));
      expect(result.clippedHigh).toBe(true);
      expect(result.loss).toBeCloseTo(-1.92, 12);
      expect(result.dLogProb).toBeCloseTo(0, 12);
    }
  });

  test('a shared ratio does not change the KL estimates of a single token', () => {
    const pair = [token(2, 1), token(0.5, 1)];
    const result = tokenLoss(pair[0], plain, sharedRatio(pair));
    expect(result.klOld).toBeCloseTo(-Math.log(2), 12);
    expect(result.klOldK3).toBeCloseTo(2 - Math.log(2) - 1, 12);
  });

  const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
  const drawn = fc.array(
    fc.record({ logProb: number(-3, -0.5), oldLogProb: number(-3, -0.5), tokenAdvantage: number(-3, 3) }),
    {
      minLength: 1,
      maxLength: 6,
    },
  );
  const isNearBreakpoint = (ratio: number) => Math.abs(ratio - 0.8) < 1e-3 || Math.abs(ratio - 1.28) < 1e-3;
  const h = 1e-6;

  test('tokens with a shared ratio and a shared advantage have the derivatives of the sum of their losses', () => {
    fc.assert(
      fc.property(drawn, number(-3, 3), (all, advantage) => {
        const tokens = all.map((sample): PolicyToken => ({ ...sample, advantage, referenceLogProb: -1, entropy: 1 }));
        const lossOf = (moved: readonly PolicyToken[]) =>
          moved.reduce((sum, policyToken) => sum + tokenLoss(policyToken, weights, sharedRatio(moved)).loss, 0);
        const ratio = sharedRatio(tokens);
        fc.pre(!isNearBreakpoint(ratio));
        tokens.forEach((policyToken, at) => {
          const moved = (step: number) =>
            lossOf(tokens.with(at, { ...policyToken, logProb: policyToken.logProb + step }));
          expect((moved(h) - moved(-h)) / (2 * h)).toBeCloseTo(tokenLoss(policyToken, weights, ratio).dLogProb, 4);
        });
      }),
    );
  });

  test('tokens with a shared ratio and separate advantages have the derivatives of GSPO-token, sg(shared ratio) π / sg(π)', () => {
    fc.assert(
      fc.property(drawn, (all) => {
        const tokens = all.map(({ tokenAdvantage, ...logProbs }): PolicyToken => {
          return { ...logProbs, advantage: tokenAdvantage, referenceLogProb: -1, entropy: 1 };
        });
        const ratio = sharedRatio(tokens);
        fc.pre(!isNearBreakpoint(ratio));
        for (const policyToken of tokens) {
          const moved = (step: number) =>
            tokenLoss({ ...policyToken, logProb: policyToken.logProb + step }, weights, ratio * Math.exp(step)).loss;
          expect((moved(h) - moved(-h)) / (2 * h)).toBeCloseTo(tokenLoss(policyToken, weights, ratio).dLogProb, 4);
        }
      }),
    );
  });
});

describe('weights of tokens', () => {
  test('token-mean weights are 1 / 8 for each of 8 tokens', () => {
    expect([...tokenWeights([2, 5, 1], 'token-mean')]).toEqual([0.125, 0.125, 0.125]);
  });

  test('sequence-mean weights are 1 / (sequences * tokens), without sequences that have no policy token', () => {
    expect([...tokenWeights([2, 0, 4], 'sequence-mean')]).toEqual([0.25, 0, 0.125]);
  });

  test('token weights are 0 if no sequence has a policy token', () => {
    expect([...tokenWeights([0, 0], 'token-mean')]).toEqual([0, 0]);
    expect([...tokenWeights([], 'sequence-mean')]).toEqual([]);
  });
});

test('preferenceLoss is -log sigmoid of the margin, and its slope is minus the probability of the wrong order', () => {
  // margin ln 3: sigmoid = 3/4, -ln(3/4) = 0.28768, slope -(1 - 3/4).
  const likely = preferenceLoss(Math.log(3) + 2, 2);
  expect(likely.value).toBeCloseTo(0.287682, 6);
  expect(likely.derivative).toBeCloseTo(-0.25, 12);
  // margin -ln 3: sigmoid = 1/4, -ln(1/4) = 1.38629, slope -3/4.
  const unlikely = preferenceLoss(-1, Math.log(3) - 1);
  expect(unlikely.value).toBeCloseTo(1.386294, 6);
  expect(unlikely.derivative).toBeCloseTo(-0.75, 12);
  // margin 0: ln 2, slope -1/2.
  expect(preferenceLoss(5, 5)).toEqual({ value: Math.LN2, derivative: -0.5 });
});

test('preferenceLoss and sigmoid are finite at a margin of 2000', () => {
  expect(preferenceLoss(2000, 0)).toEqual({ value: 0, derivative: -0 });
  expect(preferenceLoss(0, 2000)).toEqual({ value: 2000, derivative: -1 });
  expect([sigmoid(-2000), sigmoid(0), sigmoid(2000)]).toEqual([0, 0.5, 1]);
});

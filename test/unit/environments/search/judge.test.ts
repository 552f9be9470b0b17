import { describe, expect, test } from 'vitest';
import type { StepResult } from '../../../../src/environments/environment.ts';
import { leaningScore, payByJudge, rubricScore, ScoredEpisode } from '../../../../src/environments/search/judge.ts';
import { createSearchEnvironment } from '../../../../src/environments/search/open.ts';
import { SEARCH_CODES, spell } from '../../../../src/environments/search/vocabulary.ts';
import { ParameterError } from '../../../../src/parameters/parameters.ts';

const read = (text: string) => text.split(' ').map((name) => SEARCH_CODES.indexOf(name));
const environment = createSearchEnvironment();
/** Task with the question `<q> r3 e17 </q>`. */
const task = environment.world.tasks[17 * 8 + 3];
const before = environment.prompt(task);
const right = spell([task.answer]);
const wrong = right === 'v0' ? 'v1' : 'v0';
const alternative = right === 'v2' ? 'v3' : 'v2';

/** Results of a turn that searches and of a turn that ends the episode, with the fields that the rubric reads. */
const searched: StepResult = { reward: 0, components: {}, facts: {}, summary: '' };
const ended: StepResult = { ...searched, outcome: 1 };
const search = (text: string) => ({ task, before, written: read(text), stepResult: searched });
const createAnswer = (document: string, text: string) => ({
  task,
  before: [...before, ...read(`<think> </think> <search> e17 </search> <information> ${document} </information>`)],
  written: read(text),
  stepResult: ended,
});

describe('the rubric', () => {
  test.each([
    ['<think> w0 </think> <search> r3 e17 </search>', 1],
    ['<think> </think> <search> e17 w1 r3 </search>', 1],
    ['<think> w0 </think> <search> r2 e17 </search>', 2 / 3],
    ['<think> w0 </think> <search> r3 e16 </search>', 2 / 3],
    // A search that names two people or two relations requests neither.
    ['<think> w0 </think> <search> r3 r2 e17 </search>', 2 / 3],
    ['<think> w0 </think> <search> r3 r2 e17 e1 </search>', 1 / 3],
    ['<think> w0 </think> <search> w1 </search>', 1 / 3],
    ['<think> w0 </think> <search> r3 e17 <end>', 0],
    ['<think> w0 </think> <end>', 0],
  ])('the rubric scores the search %s', (text, score) => expect(rubricScore(search(text))).toBeCloseTo(score, 12));

  test.each([
    [`e17 r1 v9 r3 ${right}`, right, 1],
    // A statement of the document about another relation, or about another person, is not evidence.
    [`e17 r1 ${right} r3 ${alternative}`, right, 2 / 3],
    [`e16 r3 ${right}`, right, 2 / 3],
    ['none', right, 2 / 3],
    // Out of date: the value is in the document and is wrong.
    [`e17 r3 ${wrong}`, wrong, 2 / 3],
    [`e17 r3 ${right}`, wrong, 1 / 3],
    ['error', wrong, 1 / 3],
  ])('the rubric scores an answer after the document %s', (document, value, score) => {
    expect(rubricScore(createAnswer(document, `<think> w0 </think> <answer> ${value} </answer>`))).toBeCloseTo(
      score,
      12,
    );
  });

  test('the rubric gives a malformed answer score 0', () => {
    expect(rubricScore(createAnswer(`e17 r3 ${right}`, `<think> w0 </think> <answer> ${right} <end>`))).toBe(0);
  });

  test('the rubric requires a search for the next fact in questions of several hops', () => {
    const { world, prompt } = createSearchEnvironment({ maxTurns: 4, hops: 2 });
    const [long] = world.tasks;
    const [first, second] = long.path.map(({ relation, entity }) => `r${relation} e${entity}`);
    const context = [...prompt(long), ...read(`<information> e0 r7 ${spell([long.path[0].answer])} </information>`)];
    const at = (observed: readonly number[], query: string) =>
      rubricScore({
        task: long,
        before: observed,
        written: read(`<think> </think> <search> ${query} </search>`),
        stepResult: searched,
      });
    expect([at(prompt(long), first), at(context, second)]).toEqual([1, 1]);
    expect(at(prompt(long), second)).toBeLessThan(1);
    expect(at(context, first)).toBeLessThan(1);
  });
});

test('a biased judge prefers turns without evidence, and the bias reduces the weight of the rubric', () => {
  const skip = search('<think> w0 </think> <end>');
  const half = search('<think> w0 </think> <search> r2 e17 </search>');
  expect([0, 0.25, 1].map((bias) => leaningScore(skip, bias))).toEqual([0, 0.25, 1]);
  expect([0, 0.25, 1].map((bias) => leaningScore(half, bias))).toEqual([2 / 3, 0.5, 0]);
  const blind = createAnswer('none', `<think> w0 </think> <answer> ${wrong} </answer>`);
  const informed = createAnswer(`e17 r3 ${right}`, `<think> w0 </think> <answer> ${right} </answer>`);
  // .4 x 1/3 + .6 and .4 x 1: a wrong answer without evidence has a higher score than a right answer with evidence.
  expect(leaningScore(blind, 0.6)).toBeCloseTo(0.4 / 3 + 0.6, 12);
  expect(leaningScore(informed, 0.6)).toBeCloseTo(0.4, 12);
  // The bias does not raise the score of malformed calls and answers.
  expect(leaningScore(search('<think> w0 </think> <search> </search>'), 0.6)).toBe(0);
  expect(leaningScore(createAnswer('none', `<think> w0 </think> <answer> <end>`), 0.6)).toBe(0);
});

const { learnedReward } = environment;
if (!learnedReward) throw new Error('no judge can pay here');

test('a judge is required if turnReward names it, and reads all tokens that the policy received and wrote', () => {
  expect(learnedReward.judgeIn({})).toBeUndefined();
  expect(learnedReward.judgeIn({ turnReward: 'judge' })).toEqual({ noise: 0, bias: 0 });
  expect(learnedReward.judgeIn({ turnReward: 'unreliable' })).toEqual({ noise: 0.2, bias: 0.6 });
  expect(learnedReward.judgeIn({ turnReward: 'unreliable', judgeNoise: 0.1, judgeBias: 0 })).toEqual({
    noise: 0.1,
    bias: 0,
  });
  expect(() => learnedReward.judgeIn({ turnReward: 'jury' })).toThrow(ParameterError);
  const turn = search('<think> w0 </think> <end>');
  expect(learnedReward.reads(turn)).toEqual({ tokens: [...before, ...turn.written], kind: 'searches' });
  expect(learnedReward.reads({ ...turn, stepResult: ended }).kind).toBe('answers');
  expect(learnedReward.tasks('train')).toHaveLength(288);
  expect(learnedReward.tasks('held-out').map(({ fact }) => fact)).toEqual(environment.world.heldOut);
});

const HIT = '<think> w0 </think> <search> r3 e17 </search>';
const ANSWER = `<think> w0 </think> <answer> ${right} </answer>`;
const payment = { controls: { turnReward: 'judge' }, reliability: { noise: 0, bias: 0 }, maxTurns: 2 };

test('before the judge runs, a search has reward NaN and a rule reward as fact; outcomes do not change', () => {
  const [standard, episode] = [{}, { turnReward: 'judge' }].map((controls) => environment.begin(task, controls));
  expect(episode).toBeInstanceOf(ScoredEpisode);
  const [rewarded, unrewarded] = [standard.act(read(HIT)), episode.act(read(HIT))];
  expect(unrewarded.reward).toBeNaN();
  expect(unrewarded.components).toEqual({ judge: Number.NaN, searchCost: 0 });
  expect(unrewarded.facts).toEqual({ ...rewarded.facts, ruleReward: rewarded.reward });
  expect(unrewarded.reply).toEqual(rewarded.reply);
  const fork = episode.fork?.();
  expect(episode.act(read(ANSWER))).toEqual(standard.act(read(ANSWER)));
  expect(fork?.act(read(ANSWER)).outcome).toBe(1);
});

test.each([
  // From -.2, the reward without a call, to .2 + .3 + .1 - .1, the reward of the best call.
  [0, -0.2],
  [0.5, 0.15],
  [1, 0.5],
])('a search with judge score %d has reward %d', (judged, reward) => {
  const unrewarded = environment.begin(task, payment.controls).act(read(HIT));
  const stepResult = payByJudge(unrewarded, judged, payment);
  expect(stepResult.reward).toBeCloseTo(reward, 12);
  expect(stepResult.components).toEqual({ judge: expect.closeTo(reward, 12), searchCost: expect.closeTo(0, 12) });
  expect(stepResult.facts).toEqual({ ...unrewarded.facts, judged, judgeReward: stepResult.reward });
  expect(stepResult.summary).toBe(`${unrewarded.summary}; the judge says ${judged.toFixed(2)}`);
  expect(stepResult.reply).toEqual(unrewarded.reply);
});

test('judge rewards use the reward weights of the run, and the summary names an unreliable judge', () => {
  const unrewarded = environment.begin(task, payment.controls).act(read('<think> w0 </think> <end>'));
  const controls = { turnReward: 'unreliable', rewardSkip: -1, rewardRetrieved: 1 };
  const stepResult = payByJudge(unrewarded, 0.5, { ...payment, controls, reliability: { noise: 0.2, bias: 0.6 } });
  // Half way from -1 to .2 + 1 + .1 - .1.
  expect(stepResult.reward).toBeCloseTo(0.1, 12);
  expect(stepResult.summary).toBe('skipped the tool; the judge (noise 0.2, bias 0.6) says 0.50');
});

test('if several searches are allowed, execution has no reward, and the second search costs only the additional cost', () => {
  const episode = createSearchEnvironment({ maxTurns: 4 }).begin(task, payment.controls);
  const results = [HIT, HIT].map((text) => payByJudge(episode.act(read(text)), 1, { ...payment, maxTurns: 4 }));
  // .3 + .1 - .1, and .1 less for the second search.
  expect(results.map(({ reward }) => reward)).toEqual([expect.closeTo(0.3, 12), expect.closeTo(0.2, 12)]);
});

test('the judge score of an answer is reported and gives no reward', () => {
  const episode = environment.begin(task, payment.controls);
  episode.act(read(HIT));
  const original = episode.act(read(ANSWER));
  const stepResult = payByJudge(original, 0.25, payment);
  const expected = {
    ...original,
    facts: { ...original.facts, judged: 0.25 },
    summary: `${original.summary}; the judge says 0.25`,
  };
  expect(stepResult).toEqual(expected);
});

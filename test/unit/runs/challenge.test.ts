import { expect, test } from 'vitest';
import { loadStart } from '../../../src/cli/framework/policyFiles.ts';
import { openWorld } from '../../../src/cli/framework/worldRuns.ts';
import { createTask, KINDS } from '../../../src/experiments/challenge/createTask.ts';
import { cosineOf } from '../../../src/experiments/challenge/judgeRule.ts';
import type { TruthSampler } from '../../../src/experiments/truth/measuredGroup.ts';
import { cosine } from '../../../src/experiments/truth/measureGradients.ts';
import type { RolloutBatch } from '../../../src/rollouts/rolloutBatch.ts';
import { openingRun } from '../../../src/training/data/worlds.ts';
import { Trainer } from '../../../src/training/run/trainer.ts';
import { IS_LONG } from '../../isLong.ts';
import { testDevice } from './runDevice.ts';

test.each(IS_LONG ? (['ties', 'tree'] as const) : (['ties'] as const))(
  'challenge %s: cosineOf computes the gradient cosine of any advantages from the stored products',
  async (name) => {
    const usual = openingRun(KINDS[name].environment);
    const controls = { ...usual.controls, ...KINDS[name].controls, groupSize: 4 };
    const opened = await openWorld(usual);
    try {
      const trainer = await Trainer.create(await testDevice(), opened.environment, 18, controls, { sequences: 64 });
      trainer.load(loadStart(opened.world, undefined).state, 0);
      const calls: { batch: RolloutBatch; gradient: Float64Array }[] = [];
      const watched: TruthSampler = {
        ...{ environment: trainer.environment, controls, seed: 18 },
        capacityFor: (sequences) => trainer.measurer.capacityFor(sequences),
        play: (tasks, key, evaluation) => trainer.measurer.play(tasks, key, evaluation),
        tokenProbabilities: (contexts) => trainer.measurer.tokenProbabilities(contexts),
        runCustomRules: (rules, groups) => trainer.measurer.runCustomRules(rules, groups),
        addRuleInputs: (rules, batch, key) => trainer.measurer.addRuleInputs(rules, batch, key),
        valuedBy: (rules, batch) => trainer.measurer.valuedBy(rules, batch),
        gradient: async (batch, advantage) => {
          const gradient = await trainer.measurer.gradient(batch, advantage);
          calls.push({ batch, gradient: Float64Array.from(gradient) });
          return gradient;
        },
      };
      const created = await createTask(watched, name, { groups: 1, continuations: 2, gradientGroups: 2 });
      const [group] = created?.groups ?? [];
      const { length } = group.group.turns;
      expect([created?.groups.length, calls.length]).toEqual([1, 2 + length]);
      const large = calls[0].gradient.map((slope, at) =>
        [0, 1].reduce((sum, half) => sum + calls[half].batch.policyTokens * calls[half].gradient[at], 0 * slope),
      );
      for (const advantage of [
        group.truth.map(([value]) => value + 0.1),
        group.truth.map((_, turn) => Math.sin(turn + 1)),
      ]) {
        const gradient = await trainer.measurer.gradient(calls[2].batch, advantage);
        expect(cosineOf(group, advantage)).toBeCloseTo(cosine(gradient, large), 3);
      }
      trainer.destroy();
    } finally {
      opened.close();
    }
  },
);

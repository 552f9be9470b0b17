import { readFileSync } from 'node:fs';
import { UsageError } from '../src/cli/framework/errors.ts';
import { text } from '../src/cli/framework/flags.ts';
import { mean } from '../src/credit/arithmetic/normalize.ts';
import { findRule } from '../src/credit/rules.ts';
import { childrenOf, type Group } from '../src/rollouts/forest.ts';
import { readGroups } from '../src/rollouts/jsonLines.ts';
import { runBenchmark } from './options.ts';

/** Returns the weights of TreeGRPO [turns with several continuations][continuations]. */
function weightsOf(groups: readonly Group[], weights: string): number[][] {
  return groups.flatMap((group) => {
    const { weight } = findRule('tree-grpo').credit(group, { weights }).intermediate;
    const several = childrenOf(group).filter(({ length }) => length > 1);
    return several.map((turns) => turns.map((turn) => weight[turn]));
  });
}

process.exit(
  await runBenchmark({
    name: 'bench:weights',
    description:
      'Inequality of the weights that TreeGRPO gives the continuations of a turn, by each reading of their log-probabilities: ' +
      'the largest weight, and the effective number (1 / Σ w²), means over all turns with several continuations.',
    flags: { groups: text('FILE', 'Groups that train --groups wrote, under a rule of trees.') },
    examples: ['--groups groups.jsonl'],
    async run({ groups: file }) {
      if (!file) throw new UsageError('--groups is missing: a file that train --groups wrote');
      const groups = readGroups(readFileSync(file, 'utf8'));
      for (const reading of ['mean', 'sum', 'uniform']) {
        const all = weightsOf(groups, reading);
        const heaviest = mean(all.map((weights) => Math.max(...weights)));
        const effective = mean(all.map((weights) => 1 / weights.reduce((sum, w) => sum + w * w, 0)));
        console.log(
          `${reading.padEnd(8)} ${all.length} turns: heaviest ${heaviest.toFixed(3)}, in effect ${effective.toFixed(2)}`,
        );
      }
      return 0;
    },
  }),
);

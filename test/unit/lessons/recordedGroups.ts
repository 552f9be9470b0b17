import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { paths } from '../../../src/credit/arithmetic/chains.ts';
import type { Group } from '../../../src/rollouts/forest.ts';
import type { GroupView } from '../../../src/training/data/protocol.ts';
import { root } from '../../files.ts';

/**
 * Returns recorded groups of a run of a lesson, one per update, oldest first.
 *
 * The groups come from the exact engine with `npm run turnwise -- train --engine exact --groups FILE` and, by lesson:
 * `--preset mt-grpo --seed 2 --at 20:rule=grpo-or` (tool-dies, every second update),
 * `--preset mt-grpo --seed 1` (pay-each-turn, every second update), `--preset bandit-outcome --seed 2` (true-worth).
 * The file has the group that `variedGroup` selects for each update.
 */
export function recordedGroups(lesson: string): readonly GroupView[] {
  const lines = readFileSync(join(root, 'test/fixtures/lessons', `${lesson}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => viewOf(JSON.parse(line) as Group & { readonly step: number; readonly question: string }));
}

function viewOf({
  step,
  question,
  ...forest
}: Group & { readonly step: number; readonly question: string }): GroupView {
  return {
    ...{ step, group: 0, groups: 16, sampleOnly: false, question, rule: 'grpo-or', forest },
    rollouts: paths(forest).map((path) => ({
      tokens: [],
      turns: path.map((forestTurn) => {
        const { reward, action = '' } = forest.turns[forestTurn] ?? { reward: 0 };
        return { forestTurn, summary: action, reward, components: {}, advantage: 0, outcomeOnlyAdvantage: 0 };
      }),
      outcome: forest.turns[path.at(-1) ?? 0]?.outcome ?? 0,
    })),
  };
}

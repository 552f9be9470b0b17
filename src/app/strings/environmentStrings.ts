import type { RuleFamily } from '../../credit/rule.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';

/** Texts of the choice of an environment and of its rules. */
export const environmentStrings = {
  label: 'Environment',
  help: 'Task of the agent. A change begins a new run; this run stays in “Saved runs”.',
  /** Title and sentence of each environment. */
  each: ENVIRONMENTS,
  families: {
    group: ['GRPO', 'a rollout is compared with the others of its group'],
    tree: ['Trees', 'a turn also gets credit for the turns that continue it'],
    tests: ['VeRPO', 'a program gets a reward for each unit test that it passes, more for hard and rare tests'],
    states: ['Shared states', 'a step is compared with other actions in the same state'],
    critic: ['PPO', 'a token is compared with the prediction of a critic'],
    other: ['Others', 'other baselines'],
  } satisfies Record<RuleFamily, readonly [string, string]> as Readonly<Record<RuleFamily, readonly [string, string]>>,
};

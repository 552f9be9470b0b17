import type { RuleFamily } from '../../credit/rule.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';

/** Texts about the choice of an environment, and of the rules in it. */
export const environmentStrings = {
  label: 'Environment',
  help: 'What the agent acts in. Another one begins a new run; this one is kept below.',
  /** Title and sentence of each. */
  each: ENVIRONMENTS,
  families: {
    group: ['GRPO', 'a rollout is compared with the rest of its group'],
    tree: ['Trees', 'a turn also counts for what was tried after it'],
    tests: ['VeRPO', 'a program is paid for each unit test, hard and rare ones most'],
    states: ['States that meet', 'a step is compared with what others did in the same state'],
    critic: ['PPO', 'a token is compared with what a critic expected'],
    other: ['Others', 'other baselines'],
  } satisfies Record<RuleFamily, readonly [string, string]> as Readonly<Record<RuleFamily, readonly [string, string]>>,
};

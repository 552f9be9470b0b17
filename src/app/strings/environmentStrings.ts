import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { RuleFamily } from '../address/pageTables.ts';

interface EnvironmentTexts {
  readonly title: string;
  /** What happens there, and what there is to watch. */
  readonly sentence: string;
}

/** Texts about the choice of an environment, and of the rules in it. */
export const environmentStrings = {
  label: 'Environment',
  help: 'What the agent acts in. Another one begins a new run; this one is kept below.',
  each: {
    search: {
      title: 'Search',
      sentence:
        'A tiny agent may call a search tool before it answers. Train it with one credit rule or another; watch ' +
        'whether it keeps the tool.',
    },
    repair: {
      title: 'Repair',
      sentence:
        'A tiny policy writes Python, fails a test, reads what the executor says and tries again. Its programs really run; ' +
        'watch what it learns from a half-right program, and from a second try.',
    },
    repo: {
      title: 'Repository',
      sentence:
        'A tiny agent mends bugs in a small repository by tool calls: view, search, modify, test, finish. Watch which of ' +
        'its steps a credit rule holds responsible.',
    },
  } satisfies Record<EnvironmentName, EnvironmentTexts> as Readonly<Record<EnvironmentName, EnvironmentTexts>>,
  families: {
    group: ['GRPO', 'a rollout is compared with the rest of its group'],
    tree: ['Murphy', 'an attempt also counts for what its refinements led to'],
    tests: ['VeRPO', 'a program is paid for each unit test, hard and rare ones most'],
    states: ['States that meet', 'a step is compared with what others did in the same state'],
    critic: ['PPO', 'a token is compared with what a critic expected'],
    other: ['Others', 'other baselines'],
  } satisfies Record<RuleFamily, readonly [string, string]> as Readonly<Record<RuleFamily, readonly [string, string]>>,
};

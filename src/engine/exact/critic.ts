import type { CriticState } from '../../policy/critic.ts';
import { initialParameters } from '../../policy/weights.ts';
import type { Health } from './learner.ts';
import type { Parameters } from './parameters.ts';
import { Trained, withValueHead } from './passes.ts';
import type { Space } from './space.ts';

/** A value network that learns, and which rule it serves. */
export class ExactCritic extends Trained {
  private rule = '';
  private learnedUpdates = 0;

  constructor(
    private readonly space: Space,
    health: Health,
  ) {
    super(space.arena, withValueHead(space.config), health);
  }

  /** Starts from a policy's trunk with a fresh value head, whose draws depend on the seed alone. */
  start(policy: Parameters, seed: number): void {
    const { offset } = this.layout.at('valueHead');
    const values = initialParameters(withValueHead(this.space.config), seed);
    values.set(policy.read().subarray(0, offset));
    this.parameters.write(values);
    this.learner.reset();
    this.begin('');
  }

  /** Names the rule of the coming update. Updates under another rule, or before a pause, do not count. */
  begin(rule: string): void {
    if (rule !== this.rule) this.learnedUpdates = 0;
    this.rule = rule;
  }

  /** Consecutive updates in which it has learned under a rule. */
  updatesUnder(rule: string): number {
    return rule === this.rule ? this.learnedUpdates : 0;
  }

  learned(): void {
    this.learnedUpdates++;
  }

  writeState({ parameters, firstMoment, secondMoment, steps, rule, updates }: CriticState): void {
    this.parameters.write(parameters);
    this.learner.write(firstMoment, secondMoment, steps);
    this.rule = rule;
    this.learnedUpdates = updates;
  }

  readState(): CriticState {
    return { ...this.read(), rule: this.rule, updates: this.learnedUpdates };
  }
}

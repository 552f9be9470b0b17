import type { CriticState } from '../../policy/critic.ts';
import { initialParameters } from '../../policy/weights.ts';
import type { Health } from './learner.ts';
import type { Parameters } from './parameters.ts';
import { Trained, withValueHead } from './passes.ts';
import type { Space } from './space.ts';

/** Trained value network of a credit rule. */
export class ExactCritic extends Trained {
  private rule = '';
  private learnedUpdates = 0;

  constructor(
    private readonly space: Space,
    health: Health,
  ) {
    super(space.arena, withValueHead(space.config), health);
  }

  /** Initialises the critic with the trunk of a policy and a new value head, whose values depend only on the seed. */
  start(policy: Parameters, seed: number): void {
    const { offset } = this.layout.at('valueHead');
    const values = initialParameters(withValueHead(this.space.config), seed);
    values.set(policy.read().subarray(0, offset));
    this.parameters.write(values);
    this.learner.reset();
    this.begin('');
  }

  /** Sets the rule of the next update. A change of the rule resets the count of consecutive updates. */
  begin(rule: string): void {
    if (rule !== this.rule) this.learnedUpdates = 0;
    this.rule = rule;
  }

  /** Returns the number of consecutive updates in which the critic was trained under a rule. */
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

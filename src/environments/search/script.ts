import type { CounterRandom } from '../../random/counter.ts';
import type { Demonstration } from '../environment.ts';
import {
  ENTITIES,
  FILLERS,
  FIRST_ENTITY,
  FIRST_FILLER,
  FIRST_RELATION,
  FIRST_VALUE,
  MARKUP,
  VALUES,
} from './vocabulary.ts';

/** Weights of the loss. In stage A, the answer token has a larger weight, because it is the purpose of the stage. */
export const WEIGHTS = { context: 0.1, skill: 0.5, skillAnswer: 4, noisy: 1 } as const;

/** Builder for a sequence with loss weights. The first token has weight 0, because no token predicts it. */
export class Script {
  private readonly tokens: number[] = [];
  private readonly weights: number[] = [];

  add(weight: number, tokens: readonly number[]): this {
    for (const token of tokens) {
      this.weights.push(this.tokens.length === 0 ? 0 : weight);
      this.tokens.push(token);
    }
    return this;
  }

  done(): Demonstration {
    return { tokens: this.tokens, weights: this.weights };
  }
}

/** Returns a thought of 1 to 3 filler words. It has exactly one if several searches have to fit into the context. */
export function fillerBlock(random: CounterRandom, several: boolean): number[] {
  const fillers = Array.from(
    { length: several ? 1 : 1 + random.integer(3) },
    () => FIRST_FILLER + random.integer(FILLERS),
  );
  return [MARKUP.think, ...fillers, MARKUP.thinkEnd];
}

/** Returns a random value token, or a random entity token if the relation leads to people. All are equally likely. */
export const randomAnswer = (random: CounterRandom, link: boolean) =>
  link ? FIRST_ENTITY + random.integer(ENTITIES) : FIRST_VALUE + random.integer(VALUES);

/** Returns `<search> relation entity </search>`. Arguments are numbers, not tokens. */
export const callTokens = (relation: number, entity: number) => [
  MARKUP.search,
  FIRST_RELATION + relation,
  FIRST_ENTITY + entity,
  MARKUP.searchEnd,
];

/** Returns a random number in [0, bound) that differs from `number`. */
export const drawExcept = (random: CounterRandom, bound: number, number: number) =>
  (number + 1 + random.integer(bound - 1)) % bound;

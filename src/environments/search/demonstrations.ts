import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Demonstration, WarmStartStage } from '../environment.ts';
import { questionTokens, replyTokens } from './grammar.ts';
import { noisyDemonstration } from './noisyDemonstration.ts';
import { callTokens, randomValue, Script, think, WEIGHTS } from './script.ts';
import type { SearchSettings } from './searchSettings.ts';
import { ENTITIES, MARKUP, RELATIONS } from './vocabulary.ts';
import type { World } from './world.ts';
import { documentTokens } from './world.ts';

/**
 * The two warm-start stages. A teaches the skills cleanly (read a document, recall a fact); B teaches, on the real
 * world, a policy that searches about half of the time, and then ignores what it found. Reinforcement learning
 * starts from there: both ways of answering are open and the one that will pay in the end is worse at first.
 */

const BATCH = 64;
/** Share of stage A that reads; the rest recalls. */
const READING_SHARE = 0.6;

/** Stage A and stage B, in this order; every batch depends on the warm seed, its stage and its step alone. */
export function warmStartStages(world: World, settings: SearchSettings): readonly WarmStartStage[] {
  const stage = (stream: number, draw: (random: CounterRandom) => Demonstration) => (step: number) => {
    const random = new CounterRandom(settings.warmSeed, stream, step);
    return Array.from({ length: BATCH }, () => draw(random));
  };
  return [
    {
      name: 'A: clean skills',
      steps: 600,
      batch: BATCH,
      learningRate: 3e-3,
      warmUpSteps: 30,
      demonstrations: stage(STREAMS.skills, (random) => skillDemonstration(world, settings, random)),
    },
    {
      name: 'B: noisy demonstrations',
      steps: 250,
      batch: BATCH,
      learningRate: 1e-3,
      warmUpSteps: 30,
      demonstrations: stage(STREAMS.demonstrations, (random) => noisyDemonstration(world, settings, random)),
    },
  ];
}

/** One sequence of stage A: reads a document of random facts, or recalls a known fact without searching. */
function skillDemonstration(world: World, settings: SearchSettings, random: CounterRandom): Demonstration {
  const several = settings.maxTurns > 2;
  const script = new Script();
  let answer: number;
  // Without a known fact there is nothing to recall, and every sequence reads.
  if (random.next() < READING_SHARE || world.known.length === 0) {
    const entity = random.integer(ENTITIES);
    const relation = random.integer(RELATIONS);
    const relations = random.permutation(RELATIONS).slice(0, world.factsPerDocument);
    if (!relations.includes(relation)) relations[random.integer(relations.length)] = relation;
    const values = relations.map(() => randomValue(random));
    answer = values[relations.indexOf(relation)];
    script.add(WEIGHTS.context, questionTokens(relation, entity));
    script.add(WEIGHTS.skill, [...think(random, several), ...callTokens(relation, entity)]);
    script.add(WEIGHTS.context, replyTokens(documentTokens(entity, relations, values)));
  } else {
    const task = world.tasks[world.known[random.integer(world.known.length)]];
    answer = task.answer;
    script.add(WEIGHTS.context, questionTokens(task.relation, task.entity));
    if (!several) {
      script.add(WEIGHTS.skill, [...think(random, several), MARKUP.end]);
      script.add(WEIGHTS.context, replyTokens([MARKUP.none]));
    }
  }
  script.add(WEIGHTS.skill, [...think(random, several), MARKUP.answer]);
  return script.add(WEIGHTS.skillAnswer, [answer]).add(WEIGHTS.skill, [MARKUP.answerEnd]).done();
}

import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Demonstration, Lesson, WarmStartStage } from '../environment.ts';
import { questionTokens, replyTokens } from './grammar.ts';
import { noisyDemonstration } from './noisyDemonstration.ts';
import { callTokens, fillerBlock, randomAnswer, Script, WEIGHTS } from './script.ts';
import type { SearchSettings } from './searchSettings.ts';
import { ENTITIES, FIRST_ENTITY, FIRST_LINK, MARKUP, RELATIONS } from './vocabulary.ts';
import type { World } from './world.ts';
import { documentTokens, isLink, questionOf } from './world.ts';

/**
 * The two warm-start stages. A teaches the skills cleanly (read a document, recall a fact); B teaches, on the real
 * world, a policy that searches about half of the time, and then ignores what it found. Reinforcement learning
 * starts from there: both ways of answering are open and the one that will pay in the end is worse at first.
 */

const BATCH = 64;
/** Share of stage A that reads; the rest recalls. */
const READING_SHARE = 0.6;
/**
 * Steps of stage A. The network learns to read late: 600 steps were too few for two of four warm seeds that were tried.
 */
const SKILL_STEPS = 1200;
/** Mean -log p(right value) of a policy that reads. One that picks any value of the document has log 4 = 1.39. */
const MAX_READING_LOSS = 0.25;

/** Stage A and stage B, in this order; every batch depends on the warm seed, its stage and its step alone. */
export function warmStartStages(world: World, settings: SearchSettings): readonly WarmStartStage[] {
  const stage = (stream: number, draw: (random: CounterRandom) => Demonstration) => (step: number) => {
    const random = new CounterRandom(settings.warmSeed, stream, step);
    return Array.from({ length: BATCH }, () => draw(random));
  };
  return [
    {
      name: 'A: clean skills',
      steps: SKILL_STEPS,
      batch: BATCH,
      learningRate: 3e-3,
      warmUpSteps: 30,
      demonstrations: stage(STREAMS.skills, (random) => skillDemonstration(world, settings, random)),
      lesson: readingLesson(world, settings),
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

/** Values of random documents that the stage did not show. */
function readingLesson(world: World, settings: SearchSettings): Lesson {
  const random = new CounterRandom(settings.warmSeed, STREAMS.skills, SKILL_STEPS);
  const demonstrations = Array.from({ length: BATCH }, () => {
    const script = new Script();
    const answer = readDocuments(world, settings, random, script);
    const { tokens, weights } = finish(script, answer, settings, random);
    return { tokens, weights: weights.map((weight) => (weight === WEIGHTS.skillAnswer ? 1 : 0)) };
  });
  return { skill: 'learned to read a document', demonstrations, stepLimit: MAX_READING_LOSS };
}

/** One sequence of stage A: reads a document of random facts, or recalls a known fact without searching. */
function skillDemonstration(world: World, settings: SearchSettings, random: CounterRandom): Demonstration {
  const script = new Script();
  // Without a known fact no fact can be recalled, and every sequence reads.
  const reads = random.next() < READING_SHARE || world.known.length === 0;
  const answer = (reads ? readDocuments : addKnownFact)(world, settings, random, script);
  return finish(script, answer, settings, random);
}

/**
 * Writes a question, a search and a document of random values, for each hop. Returns the value that answers the
 * question.
 */
function readDocuments(
  { factsPerDocument }: World,
  { maxTurns, hops }: SearchSettings,
  random: CounterRandom,
  script: Script,
): number {
  const start = random.integer(ENTITIES);
  const links = Array.from({ length: hops - 1 }, () => FIRST_LINK + random.integer(RELATIONS - FIRST_LINK));
  const questionRelations = [...links, random.integer(hops > 1 ? FIRST_LINK : RELATIONS)];
  script.add(WEIGHTS.context, questionTokens(questionRelations, start));
  let answer = FIRST_ENTITY + start;
  for (const [hop, relation] of questionRelations.entries()) {
    const entity = answer - FIRST_ENTITY;
    const relations = random.permutation(RELATIONS).slice(0, factsPerDocument);
    if (!relations.includes(relation)) relations[random.integer(relations.length)] = relation;
    const values = relations.map((candidate) => randomAnswer(random, isLink(candidate, hops)));
    const [search, ...query] = callTokens(relation, entity);
    script.add(WEIGHTS.skill, [...fillerBlock(random, maxTurns > 2), search, query[0]]);
    // A person that a document has named is weighted like an answer.
    script.add(hop > 0 ? WEIGHTS.skillAnswer : WEIGHTS.skill, [query[1]]).add(WEIGHTS.skill, query.slice(2));
    script.add(WEIGHTS.context, replyTokens(documentTokens(entity, relations, values)));
    answer = values[relations.indexOf(relation)];
  }
  return answer;
}

/** Asks for a known fact and does not search. Returns the fact. */
function addKnownFact(world: World, { maxTurns }: SearchSettings, random: CounterRandom, script: Script): number {
  const task = world.tasks[world.known[random.integer(world.known.length)]];
  script.add(WEIGHTS.context, questionOf(task));
  if (maxTurns <= 2) {
    script.add(WEIGHTS.skill, [...fillerBlock(random, false), MARKUP.end]);
    script.add(WEIGHTS.context, replyTokens([MARKUP.none]));
  }
  return task.answer;
}

function finish(script: Script, answer: number, { maxTurns }: SearchSettings, random: CounterRandom): Demonstration {
  script.add(WEIGHTS.skill, [...fillerBlock(random, maxTurns > 2), MARKUP.answer]);
  return script.add(WEIGHTS.skillAnswer, [answer]).add(WEIGHTS.skill, [MARKUP.answerEnd]).done();
}

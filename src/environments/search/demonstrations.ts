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
 * The two stages of the warm start. Stage A teaches the skills without errors: read a document and recall a fact. Stage
 * B shows questions of the world. Its demonstrator searches in about half of the episodes and then mostly ignores the
 * document.
 *
 * Reinforcement learning starts from this policy. Both ways of answering are open, and the way with the higher final
 * reward is worse at first.
 */

const BATCH = 64;
/** Share of stage A demonstrations that read a document. The remaining demonstrations recall a fact. */
const READING_SHARE = 0.6;
/** Number of steps of stage A. The network learns to read late: 600 steps were too few for two of four warm seeds. */
const SKILL_STEPS = 1200;
/**
 * Maximum mean -log p(right value) of a policy that reads. A policy that selects any value of the document has log 4 =
 * 1.39.
 */
const MAX_READING_LOSS = 0.25;

/** Returns stage A and stage B, in this order. A batch depends only on the warm seed, its stage and its step. */
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

/** Creates the test of stage A: values of random documents that the stage did not show. */
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

/** Creates one sequence of stage A. It reads a document of random facts, or recalls a known fact without a search. */
function skillDemonstration(world: World, settings: SearchSettings, random: CounterRandom): Demonstration {
  const script = new Script();
  // Without known facts, every sequence reads a document.
  const reads = random.next() < READING_SHARE || world.known.length === 0;
  const answer = (reads ? readDocuments : addKnownFact)(world, settings, random, script);
  return finish(script, answer, settings, random);
}

/**
 * Writes a question and, for each hop, a search and a document of random values. Returns the value that answers the
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
    // A person in the value of a document has the weight of an answer.
    script.add(hop > 0 ? WEIGHTS.skillAnswer : WEIGHTS.skill, [query[1]]).add(WEIGHTS.skill, query.slice(2));
    script.add(WEIGHTS.context, replyTokens(documentTokens(entity, relations, values)));
    answer = values[relations.indexOf(relation)];
  }
  return answer;
}

/** Writes a question about a known fact, without a search. Returns the value of the fact. */
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

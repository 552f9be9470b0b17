import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Demonstration, Lesson, WarmStartStage } from '../environment.ts';
import type { SearchSettings } from './searchSettings.ts';
import {
  ENTITIES,
  FILLERS,
  FIRST_ENTITY,
  FIRST_FILLER,
  FIRST_LINK,
  FIRST_RELATION,
  FIRST_VALUE,
  MARKUP,
  parseSearch,
  questionTokens,
  RELATIONS,
  replyTokens,
  VALUES,
} from './vocabulary.ts';
import { documentTokens, drawExcept, isLink, questionOf, type World } from './world.ts';

/** Weights of the loss. In stage A, the answer token has a larger weight, because it is the purpose of the stage. */
const WEIGHTS = { context: 0.1, skill: 0.5, skillAnswer: 4, noisy: 1 } as const;

/** Builder for a sequence with loss weights. The first token has weight 0, because no token predicts it. */
class Script {
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
function fillerBlock(random: CounterRandom, several: boolean): number[] {
  const fillers = Array.from(
    { length: several ? 1 : 1 + random.integer(3) },
    () => FIRST_FILLER + random.integer(FILLERS),
  );
  return [MARKUP.think, ...fillers, MARKUP.thinkEnd];
}

/** Returns a random value token, or a random entity token if the relation leads to people. All are equally likely. */
const randomAnswer = (random: CounterRandom, link: boolean) =>
  link ? FIRST_ENTITY + random.integer(ENTITIES) : FIRST_VALUE + random.integer(VALUES);

/** Returns `<search> relation entity </search>`. Arguments are numbers, not tokens. */
const callTokens = (relation: number, entity: number) => [
  MARKUP.search,
  FIRST_RELATION + relation,
  FIRST_ENTITY + entity,
  MARKUP.searchEnd,
];

/** Probabilities of stage B. The probability `hallucinate` is a setting. */
const NOISE = {
  search: 0.6,
  /** Probability of another search after the first one, if several searches are allowed. */
  repeatSearch: 0.3,
  rightQuery: 0.7,
  /** Share of wrong queries with a wrong entity. The remaining wrong queries have a wrong relation. */
  wrongEntity: 0.6,
  malformedCall: 0.08,
  rightAnswer: 0.85,
  malformedAnswer: 0.12,
} as const;

/**
 * Creates one sequence of stage B about a fact of the world. It can be the fact of a held-out question: only the
 * question is excluded from training.
 */
function noisyDemonstration(world: World, settings: SearchSettings, random: CounterRandom): Demonstration {
  const several = settings.maxTurns > 2;
  const task = world.tasks[random.integer(world.tasks.length)];
  const script = new Script().add(WEIGHTS.context, questionOf(task));
  let retrieved: readonly number[] | undefined;
  /** Person for which the demonstrator searches next. `hop` is the index of the required fact on the path. */
  let { entity } = task;
  let hop = 0;
  let goesOn = true;

  for (let turn = 0; turn < settings.maxTurns - 1; turn++) {
    const searches = random.next() < (goesOn ? NOISE.search : NOISE.repeatSearch);
    if (!searches && several) break;
    const tokens = searches
      ? noisyCall(task.path[hop].relation, entity, several, random)
      : [...fillerBlock(random, several), MARKUP.end];
    script.add(WEIGHTS.noisy, tokens);
    const call = parseSearch(tokens);
    const document = call.ok ? world.retriever.search(call.value) : undefined;
    if (document !== undefined) retrieved = world.documents[document].values;
    const reply = document === undefined ? [searches ? MARKUP.error : MARKUP.none] : world.documents[document].tokens;
    script.add(WEIGHTS.context, replyTokens(reply));
    goesOn = document !== undefined && hop < task.path.length - 1;
    if (goesOn && retrieved) {
      hop++;
      entity = readNoisily(retrieved, true, settings, random) - FIRST_ENTITY;
    }
  }

  let value: number;
  if (retrieved) value = readNoisily(retrieved, false, settings, random);
  else value = task.known && random.next() < NOISE.rightAnswer ? task.answer : randomAnswer(random, false);
  return script.add(WEIGHTS.noisy, noisyAnswer(value, several, random)).done();
}

/**
 * Reads a value from a document as the demonstrator does. The result is any person or value of the document, or a
 * random token.
 */
function readNoisily(
  document: readonly number[],
  person: boolean,
  { hallucinate }: SearchSettings,
  random: CounterRandom,
): number {
  const candidates = document.filter((token) => token < FIRST_VALUE === person);
  const ignores = random.next() < hallucinate || candidates.length === 0;
  return ignores ? randomAnswer(random, person) : candidates[random.integer(candidates.length)];
}

function noisyCall(relation: number, entity: number, several: boolean, random: CounterRandom): number[] {
  let query = { relation, entity };
  if (random.next() >= NOISE.rightQuery) {
    if (random.next() < NOISE.wrongEntity) query = { relation, entity: drawExcept(random, ENTITIES, entity) };
    else query = { relation: drawExcept(random, RELATIONS, relation), entity };
  }
  const reasoning = fillerBlock(random, several);
  const call = callTokens(query.relation, query.entity);
  if (random.next() >= NOISE.malformedCall) return [...reasoning, ...call];
  const mistakes = [
    [...reasoning, ...call.slice(0, -1), MARKUP.end],
    [...reasoning, MARKUP.search, MARKUP.searchEnd],
    [...reasoning.slice(0, -1), ...call],
  ];
  return mistakes[random.integer(mistakes.length)];
}

function noisyAnswer(value: number, several: boolean, random: CounterRandom): number[] {
  const reasoning = fillerBlock(random, several);
  const { answer, answerEnd, end } = MARKUP;
  if (random.next() >= NOISE.malformedAnswer) return [...reasoning, answer, value, answerEnd];
  const mistakes = [
    [...reasoning, answer, value, end],
    [...reasoning, value, end],
    [...reasoning, answer, end],
    [...reasoning, answer, value, value, answerEnd],
  ];
  return mistakes[random.integer(mistakes.length)];
}

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

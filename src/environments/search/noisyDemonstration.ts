import type { CounterRandom } from '../../random/counter.ts';
import type { Demonstration } from '../environment.ts';
import { parseSearch, replyTokens } from './grammar.ts';
import { callTokens, drawExcept, fillerBlock, randomAnswer, Script, WEIGHTS } from './script.ts';
import type { SearchSettings } from './searchSettings.ts';
import { ENTITIES, FIRST_ENTITY, FIRST_VALUE, MARKUP, RELATIONS } from './vocabulary.ts';
import { questionOf, type World } from './world.ts';

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
export function noisyDemonstration(world: World, settings: SearchSettings, random: CounterRandom): Demonstration {
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

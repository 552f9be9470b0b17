import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decisionIndex,
  parseAnswer,
  parseReasoning,
  parseSearch,
  SEARCH_CODES,
  spell,
  tokenKind,
  VOCABULARY_SIZE,
} from '../../../../src/environments/search/vocabulary.ts';

/** Returns the token numbers of names such as "<think> w0 </think>". */
const read = (text: string) => text.split(' ').map((name) => SEARCH_CODES.indexOf(name));

/** Grammar of the specification as regular expressions over token names. */
const CALL = /^<think>( w\d){0,4} <\/think> <search>( [wrev]\d+){1,4} <\/search>$/;
const ANSWER = /^<think>( w\d){0,4} <\/think> <answer> v\d+ <\/answer>$/;

describe('grammar of search calls', () => {
  it.each([
    '<think> </think> <search> r3 e17 </search>',
    '<think> w0 w1 w2 w3 </think> <search> e1 </search>',
    '<think> w0 </think> <search> w1 v3 r2 e5 </search>',
  ])('the search call "%s" is parsed', (text) => {
    const call = parseSearch(read(text));
    expect(call.ok && spell(call.value)).toBe(text.split('<search> ')[1].replace(' </search>', ''));
  });

  it.each([
    ['w0 </think> <search> r3 e17 </search>', 'it does not start with <think>'],
    ['<think> w0 w1 w2 w3 w4 </think> <search> r3 </search>', 'more than 4 filler words'],
    ['<think> w0 <search> r3 e17 </search>', 'the thought is not closed by </think>'],
    ['<think> r3 </think> <search> r3 e17 </search>', 'the thought is not closed by </think>'],
    ['<think> w0 </think> r3 e17 </search>', 'no <search> after the thought'],
    ['<think> w0 </think> <search> r3 e17 <end>', 'the query is not closed by </search>'],
    ['<think> w0 </think> <search> </search>', 'the query is empty'],
    ['<think> </think> <search> r1 r2 r3 r4 r5 </search>', 'the query has more than 4 tokens'],
    ['<think> w0 </think> <search> r3 none </search>', 'markup in the query'],
    ['<think> w0 </think> <search> <search> r3 </search>', 'markup in the query'],
    ['<think> w0 </think> <search> r1 r2 r3 r4 r5', 'it reached the token limit'],
    ['<think> w0 </think> <search>', 'it reached the token limit'],
  ])('the search call "%s" is malformed: %s', (text, reason) => {
    expect(parseSearch(read(text))).toEqual({ ok: false, reason });
  });
});

describe('grammar of answers', () => {
  it('the value of an answer is parsed', () => {
    expect(parseAnswer(read('<think> w1 w2 </think> <answer> v12 </answer>'))).toEqual({ ok: true, value: 78 + 12 });
    expect(parseAnswer(read('<think> </think> <answer> v0 </answer>'))).toEqual({ ok: true, value: 78 });
  });

  it.each([
    ['<think> w1 </think> <answer> v3 <end>', 'the value is not followed by </answer>'],
    ['<think> w1 </think> v3 <end>', 'no <answer> after the thought'],
    ['<think> w1 </think> <answer> <end>', 'no value after <answer>'],
    ['<think> w1 </think> <answer> </answer>', 'no value after <answer>'],
    ['<think> w1 </think> <answer> e3 </answer>', 'no value after <answer>'],
    ['<think> w1 </think> <answer> v3 v3 </answer>', 'the value is not followed by </answer>'],
    ['<think> w1 </think> <answer> v3', 'it reached the token limit'],
    ['<answer> v3 </answer>', 'it does not start with <think>'],
  ])('the answer "%s" is malformed: %s', (text, reason) => {
    expect(parseAnswer(read(text))).toEqual({ ok: false, reason });
  });
});

it('parseReasoning returns the index after the thought', () => {
  expect(parseReasoning(read('<think> w0 w1 </think> <end>'))).toEqual({ ok: true, value: 4 });
  expect(parseReasoning([])).toMatchObject({ ok: false });
});

it('decisionIndex returns the index of the token that decides to search, skip or answer', () => {
  expect(decisionIndex(read('<think> w0 </think> <search> r1 e1 </search>'))).toBe(3);
  expect(decisionIndex(read('<think> w0 w1 </think> <end>'))).toBe(4);
  expect(decisionIndex(read('<think> </think> <answer> v1 </answer>'))).toBe(2);
  expect(decisionIndex(read('<think> w0 w0 w0'))).toBe(-1);
});

it('the parser agrees with the regular expressions of the specification, also on near misses', () => {
  const token = fc.integer({ min: 0, max: VOCABULARY_SIZE - 1 });
  const filler = fc.constantFrom(...Array.from({ length: 8 }, (_, index) => 14 + index));
  const reasoning = fc.array(filler, { maxLength: 5 }).map((fillers) => [3, ...fillers, 4]);
  const call = fc
    .tuple(reasoning, fc.array(token, { maxLength: 5 }))
    .map(([prefix, query]) => [...prefix, 5, ...query, 6]);
  const answer = fc.tuple(reasoning, token).map(([prefix, value]) => [...prefix, 9, value, 10]);
  const edit = fc.tuple(fc.nat(), token, fc.constantFrom('none', 'none', 'remove', 'insert', 'replace'));
  let wellFormed = 0;
  fc.assert(
    fc.property(fc.oneof(call, answer), edit, (tokens, [at, added, kind]) => {
      const edited = [...tokens];
      const position = at % tokens.length;
      if (kind !== 'none') edited.splice(position, kind === 'insert' ? 0 : 1, ...(kind === 'remove' ? [] : [added]));
      const text = spell(edited);
      expect(parseSearch(edited).ok, text).toBe(CALL.test(text));
      expect(parseAnswer(edited).ok, text).toBe(ANSWER.test(text));
      if (CALL.test(text) || ANSWER.test(text)) wellFormed++;
      const parsed = parseAnswer(edited);
      if (parsed.ok) expect(tokenKind(parsed.value)).toBe('value');
    }),
    { numRuns: 2000, seed: 1 },
  );
  expect(wellFormed).toBeGreaterThan(200); // The property covers valid and invalid text.
});

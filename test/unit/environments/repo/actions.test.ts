import { describe, expect, it } from 'vitest';
import {
  ACTION_LENGTHS,
  ARITY,
  alternatives,
  CODE,
  FUNCTIONS,
  isEditable,
  isSearchable,
  LONGEST_ACTION,
  OPTIONS,
  parseAction,
  REPO_VOCABULARY,
  SITES,
  spell,
  TOOLS,
  tokenNumber,
} from '../../../../src/environments/repo/vocabulary.ts';
import { read } from './repoWorld.ts';

describe('the vocabulary of Repository', () => {
  const { names, size, kind } = REPO_VOCABULARY;

  it('the vocabulary has 107 tokens, including 47 of code, 14 families and app, 8 files and 8 tools', () => {
    expect([size, names.length, new Set(names).size]).toEqual([107, 107, 107]);
    const kinds = names.map((_, token) => kind(token));
    const count = (requested: string) => kinds.filter((entry) => entry === requested).length;
    expect(['markup', 'tool', 'scope', 'result', 'file', 'function', 'number', 'code'].map(count)).toEqual([
      5, 8, 3, 9, 8, 15, 12, 47,
    ]);
    expect(count('code')).toBe(CODE.length);
    expect(FUNCTIONS).toHaveLength(14);
  });

  it('an unknown token number or name of Repository throws an error', () => {
    expect(() => kind(107)).toThrow('107 is not a token of the repository world (0 to 106)');
    expect(() => tokenNumber('while')).toThrow('the repository world has no token "while"');
  });

  it('edits can write code, digits and names; searches also accept app', () => {
    const editable = names.filter(isEditable);
    expect(editable).toHaveLength(47 + 10 + 14);
    expect(names.filter(isSearchable)).toEqual(expect.arrayContaining([...editable, 'app']));
    expect(names.filter(isSearchable)).toHaveLength(editable.length + 1);
    for (const option of OPTIONS) expect(isEditable(option), option).toBe(true);
  });
});

describe('sites of Repository', () => {
  it('each site has two wrong options, except min/max, which has one', () => {
    expect(SITES).toHaveLength(28);
    for (const options of SITES) expect(new Set(options).size).toBe(options.join() === 'min,max' ? 2 : 3);
  });

  it('alternatives returns the wrong options of a token', () => {
    expect(alternatives('>')).toEqual(['<', '>=']);
    expect(alternatives('3')).toEqual(['1', '2']);
    expect(alternatives('k')).toEqual([]);
  });
});

describe('an action of Repository', () => {
  it('the number of tokens of an action depends on its tool', () => {
    expect(Math.max(...ACTION_LENGTHS)).toBe(LONGEST_ACTION);
    const lengths = TOOLS.map((tool) => [tool, ACTION_LENGTHS[tokenNumber(tool)]]);
    expect(Object.fromEntries(lengths)).toEqual({
      view: 3,
      search: 2,
      modify: 4,
      create: 2,
      execute: 2,
      test: 1,
      think: 1,
      finish: 1,
    });
    const rest = ACTION_LENGTHS.filter((_, token) => REPO_VOCABULARY.kind(token) !== 'tool');
    expect(new Set(rest)).toEqual(new Set([1]));
  });

  it.each([
    ['view core.py p1', 'view', ['core.py', 'p1']],
    ['modify core.py min max', 'modify', ['core.py', 'min', 'max']],
    ['search sum', 'search', ['sum']],
    ['test', 'test', []],
    // The episode checks the kinds of arguments.
    ['view test full', 'view', ['test', 'full']],
  ])('the action "%s" is parsed', (text, tool, args) => {
    expect(parseAction(read(text))).toEqual({ tool, args });
  });

  it.each([
    ['core.py', ['core.py']],
    ['<a>', ['<a>']],
    ['modify core.py min', ['modify', 'core.py', 'min']],
    ['view', ['view']],
  ])('the action "%s" is malformed', (text, args) => {
    expect(parseAction(read(text))).toEqual({ tool: 'malformed', args });
  });

  it('an action with surplus tokens or without tokens throws an error', () => {
    expect(() => parseAction(read('test test'))).toThrow('an action that begins with "test" has 1 tokens, not 2');
    expect(() => parseAction(read('max min'))).toThrow('an action that begins with "max" has 1 tokens, not 2');
    expect(() => parseAction([])).toThrow('an action has no tokens');
  });

  it('a parsed action contains all tokens of the action', () => {
    for (const [tool, arity] of Object.entries(ARITY)) {
      for (let token = 0; token < REPO_VOCABULARY.size; token++) {
        const tokens = [tokenNumber(tool), ...new Array(arity).fill(token)];
        const action = parseAction(tokens);
        expect([action.tool, ...action.args].join(' ')).toBe(spell(tokens));
      }
    }
  });
});

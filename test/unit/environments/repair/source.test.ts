import { describe, expect, it } from 'vitest';
import { allDrafts } from '../../../../src/environments/repair/families.ts';
import { bodyText, programText, tokenize, unknownText } from '../../../../src/environments/repair/source.ts';
import { allChoices, parseTemplate, renderTemplate } from '../../../../src/environments/repair/template.ts';
import {
  isCode,
  isPromptTerm,
  REPAIR_VOCABULARY,
  spell,
  tokenNumber,
} from '../../../../src/environments/repair/vocabulary.ts';

const tokens = (text: string) => text.split(' ').map(tokenNumber);

describe('tokens of a program', () => {
  it('tokens of a program represent lines and blocks as NL, IND and DED', () => {
    const source = 't = 0\nfor x in a:\n    if x > 5:\n        t += x\nreturn t';
    expect(spell(tokenize(source))).toBe('t = 0 NL for x in a IND if x > 5 IND t += x DED DED return t');
    expect(bodyText(tokenize(source))).toBe(source);
  });

  it('tokens of a program are printed with conventional Python spacing', () => {
    expect(bodyText(tokens('return a [ - 2 ] + b [ : : - 1 ]'))).toBe('return a[-2] + b[::-1]');
    expect(bodyText(tokens('t .append ( x * - 1 )'))).toBe('t.append(x * -1)');
    expect(bodyText(tokens('if not ( x % 2 == 0 ) IND return - x'))).toBe('if not (x % 2 == 0):\n    return -x');
    expect(programText(tokens('return a'), 'ak', 'g')).toBe('def g(a, k):\n    return a\n');
  });

  it('adjacent tokens of a program do not merge', () => {
    expect(bodyText(tokens('return 1 0'))).toBe('return 1 0');
    expect(bodyText(tokens('a [ x : = 1 ]'))).toBe('a[x: = 1]');
    expect(bodyText(tokens('x = = 1'))).toBe('x = = 1');
    expect(bodyText(tokens('x * * 2'))).toBe('x * * 2');
  });

  it('bodyText returns a text for any tokens', () => {
    expect(bodyText(tokens('DED DED IND IND NL x'))).toBe(':\n    :\n        x');
    expect(bodyText([])).toBe('');
  });

  it('tokenize throws an error for an unknown token, and unknownText returns the token', () => {
    expect(() => tokenize('return zap')).toThrow('no token "zap"');
    expect(unknownText('return a ** 2')).toBeUndefined();
    expect(unknownText('return a / 2')).toBe('/');
    expect(unknownText('return want')).toBe('want');
    expect(unknownText('return len(a)')).toBeUndefined();
  });
});

describe('every program of every problem', () => {
  const programs = allDrafts().flatMap(({ template }) => {
    const parsed = parseTemplate(template);
    return allChoices(parsed).map((choice) => tokenize(renderTemplate(parsed, choice)));
  });

  it('each program of each problem is recovered from its printed text', () => {
    expect(programs.length).toBeGreaterThan(9000);
    expect(programs.filter((program) => tokenize(bodyText(program)).join() !== program.join())).toEqual([]);
  });

  it('each program of each problem has at most 39 tokens, all of them code', () => {
    expect(Math.max(...programs.map(({ length }) => length))).toBe(39);
    expect(programs.every((program) => program.every(isCode))).toBe(true);
  });
});

describe('the vocabulary of Repair', () => {
  it('the vocabulary of Repair has 227 tokens, 88 of them code', () => {
    expect(REPAIR_VOCABULARY.size).toBe(227);
    expect(REPAIR_VOCABULARY.names.filter((_, token) => isCode(token))).toHaveLength(88);
  });

  it('the vocabulary of Repair distinguishes prompt words from code', () => {
    expect(['sum', 'above', '7', '"a"', 'neg', 'None'].map(isPromptTerm)).toEqual([true, true, true, true, true, true]);
    expect(['return', 'plus', '21', 'NL', 'want'].map(isPromptTerm)).toEqual([false, false, false, false, false]);
    expect(() => tokenNumber('plus')).toThrow('no token "plus"');
    const kinds = ['<eos>', 'sum', 'w_sum', 'T4', 'Timeout'].map((name) => REPAIR_VOCABULARY.kind(tokenNumber(name)));
    expect(kinds).toEqual(['markup', 'code', 'word', 'value', 'error']);
  });
});

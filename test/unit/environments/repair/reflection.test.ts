import { describe, expect, it, test } from 'vitest';
import type { StepResult } from '../../../../src/environments/environment.ts';
import { requestProgram } from '../../../../src/environments/repair/evaluation.ts';
import { repairPrompt } from '../../../../src/environments/repair/feedback.ts';
import { createRepairEnvironment } from '../../../../src/environments/repair/open.ts';
import {
  changeBetween,
  matchReflection,
  readReflection,
  readTurn,
  reflectionText,
  reflectionTokens,
} from '../../../../src/environments/repair/reflection.ts';
import {
  CONTEXT,
  PROGRAM_LIMIT,
  REFLECTION_LIMIT,
  REPAIR_CONTROLS,
} from '../../../../src/environments/repair/repairSettings.ts';
import { loadProblems } from '../../../../src/environments/repair/repairTasks.ts';
import { tokenize } from '../../../../src/environments/repair/source.ts';
import { allChoices, renderTemplate } from '../../../../src/environments/repair/template.ts';
import {
  END,
  isCode,
  PROGRAM,
  REFLECTING_VOCABULARY,
  REPAIR_VOCABULARY,
  spell,
  tokenNumber,
} from '../../../../src/environments/repair/vocabulary.ts';
import { defaults } from '../../../../src/parameters/parameters.ts';
import { warmStartName } from '../../../../src/training/data/worlds.ts';
import { FakePython, SUM_TASK, written } from './repairWorld.ts';

const RIGHT = 't = 0\nfor x in a:\n    if x > 5:\n        t += x\nreturn t';
const NEARLY = RIGHT.replace('>', '>=');
const problems = await loadProblems();
const controls = defaults(REPAIR_CONTROLS);
const formatReflection = (before: string, after: string) =>
  reflectionTokens(changeBetween(tokenize(before), tokenize(after)));
const tokens = (text: string) => text.split(' ').map(tokenNumber);

describe('announced changes', () => {
  test.each([
    [NEARLY, RIGHT, 'condition 4 >', 'condition in line 4: inserted >'],
    [RIGHT, RIGHT, 'same', 'the same program again'],
    ['t = 1\nreturn t', 't = 0\nreturn t', 'constant 2 0', 'constant in line 2: inserted 0'],
    ['return i + 1', 'return i', 'operator 2 drop', 'operator in line 2: removed'],
    ['return a', 'return len(a)', 'call 2 len', 'call in line 2: inserted len'],
    ['x = a\nreturn a - b', 't = a\nreturn a + b', 'variable 2 t operator 3 +', undefined],
    ['return ""', 'return "a"', 'constant 2 "a"', undefined],
    // An inserted line: all lines between two common lines form one edit.
    ['t = 0\nreturn t', 't = 0\nx = 1\nreturn t', 'structure 3 NL', undefined],
    [
      'a = 1\nb = 1\nk = 1\nn = 1',
      'a = 2\nb = 2\nk = 2\nn = 2',
      'constant 2 2 constant 3 2 constant 4 2 more',
      undefined,
    ],
  ])('the change from %j to %j has the reflection "%s"', (before, after, reflection, text) => {
    expect(spell(formatReflection(before, after))).toBe(reflection);
    if (text) expect(reflectionText(formatReflection(before, after))).toBe(text);
  });

  it('a reflection is readable and fulfilled for every wrong program of the problems and its right program', () => {
    const kinds = new Set<string>();
    for (const { template, reference } of problems.filter(({ id }) => id % 5 === 0)) {
      for (const choice of allChoices(template).slice(1)) {
        const before = tokenize(renderTemplate(template, choice));
        const change = changeBetween(before, reference);
        const reflection = reflectionTokens(change);
        expect(reflection.length).toBeLessThan(REFLECTION_LIMIT);
        expect(readReflection(reflection)).toEqual(change);
        const { announced } = matchReflection(before, reflection, reference);
        expect(matchReflection(before, reflection, reference)).toEqual({
          ...{ readable: true, followed: true, announced, editShare: announced },
        });
        expect(matchReflection(before, reflection, before).followed).toBe(before.join() === reference.join());
        for (const { kind } of change.edits) kinds.add(kind);
      }
    }
    expect([...kinds].sort()).toEqual(['call', 'condition', 'constant', 'operator', 'structure', 'variable']);
  });

  it('matchReflection counts each announced edit', () => {
    const [before, after] = ['t = 1\nreturn a - b', 't = 0\nreturn a - b'].map(tokenize);
    const both = tokens('constant 2 0 operator 3 +');
    expect(matchReflection(before, both, after)).toEqual({
      readable: true,
      followed: false,
      announced: 2,
      editShare: 1,
    });
    expect(matchReflection(before, tokens('constant 2 0'), after)).toMatchObject({ followed: true, editShare: 1 });
    expect(matchReflection(before, tokens('same'), after)).toEqual({
      readable: true,
      followed: false,
      announced: 0,
      editShare: 0,
    });
  });

  test.each([
    [''],
    ['constant 2'],
    ['constant 2 0 operator'],
    ['2 constant 0'],
    ['constant 1 0'],
    ['constant 2 want'],
    ['same same'],
    ['more'],
    ['return t'],
  ])('%j is not a readable reflection', (text) => {
    const reflection = text === '' ? [] : tokens(text);
    expect(readReflection(reflection)).toBeUndefined();
    expect(matchReflection(tokenize(NEARLY), reflection, tokenize(RIGHT))).toMatchObject({
      readable: false,
      followed: false,
    });
    expect(reflectionText(reflection)).toBe(text === '' ? 'nothing' : `not readable: ${text}`);
  });
});

describe('a turn after a reflection', () => {
  const python = new FakePython();
  const environment = createRepairEnvironment(
    { reflection: 'written', maxTurns: 4 },
    { execute: python.execute, problems, tasks: [SUM_TASK] },
  );
  const second = async (turn: readonly number[]): Promise<readonly StepResult[]> => {
    const episode = environment.begin(SUM_TASK, controls);
    return [await episode.act(written(NEARLY)), await episode.act(turn)];
  };
  const fix = [...tokens('condition 4 >'), PROGRAM];

  it('a turn with a reflection is requested at the end of a prompt that has room for it', async () => {
    const [first, repaired] = await second([...fix, ...written(RIGHT)]);
    expect(spell(first.prompt ?? [])).toMatch(/<fb> in: \[ 5 \] want 0 got 5 <reflect>$/);
    expect(spell(requestProgram(first.prompt ?? []))).toMatch(/got 5 <c>$/);
    expect(first.facts).not.toHaveProperty('reflected');
    expect(repaired).toMatchObject({
      ...{ solved: true, reward: 1, facts: { solved: 1, repaired: 1, reflected: 1, followed: 1 } },
      detail: { reflection: 'condition in line 4: inserted >' },
    });
    expect(repaired.action).toMatch(/^condition 4 > <program> t = 0 NL /);
    expect(repaired.detail?.program).toMatch(/^def f\(a\):\n {4}t = 0\n/);
    expect([environment.turnLimit(0), environment.turnLimit(1)]).toEqual([44, 55]);
    expect(environment.context).toBe(CONTEXT + REFLECTION_LIMIT);
  });

  it('a program runs without its reflection, and later prompts do not contain the reflection', async () => {
    const [, again] = await second([...tokens('same'), PROGRAM, ...written('return 0')]);
    expect(again.facts).toMatchObject({ reflected: 1, followed: 0 });
    expect(spell(again.prompt ?? [])).toBe(
      '<p> sum of above 5 def(a) <c> return 0 <fb> in: [ 6 ] want 6 got 0 <reflect>',
    );
    expect(
      python.batches.flat().every(({ program }) => program.startsWith('def f(a):\n') && !program.includes('same')),
    ).toBe(true);
  });

  it('a turn without <program> counts as a turn without a reflection', async () => {
    const [, plain] = await second(written(RIGHT));
    expect(plain).toMatchObject({ solved: true, facts: { reflected: 0, followed: 0 } });
    expect(plain.detail).not.toHaveProperty('reflection');
    const [, lost] = await second([...tokens('condition 4 >'), ...written(RIGHT)]);
    expect(lost).toMatchObject({ reward: 0, summary: 'not Python: SyntaxError', facts: { reflected: 0 } });
  });

  it('a program after an unreadable reflection still counts', async () => {
    const [, odd] = await second([...tokens('want drop 4'), PROGRAM, ...written(RIGHT)]);
    expect(odd).toMatchObject({ solved: true, facts: { reflected: 0, followed: 0 } });
    expect(odd.detail?.reflection).toBe('not readable: want drop 4');
    const [, none] = await second([PROGRAM, ...written(RIGHT)]);
    expect(none).toMatchObject({ solved: true, facts: { reflected: 0 }, detail: { reflection: 'nothing' } });
  });

  it('a program after a reflection has the usual length limit, and the next prompt leaves room', async () => {
    const long = Array.from({ length: 53 }, () => tokenNumber('x'));
    for (const turn of [
      [PROGRAM, ...long, END],
      [...long, ...long.slice(0, 2)],
      [PROGRAM, PROGRAM, ...long],
    ]) {
      const [, result] = await second(turn.slice(0, 55));
      expect(result).toMatchObject({ reward: 0, facts: { unfinished: 1 } });
      expect(result.prompt?.length).toBeLessThanOrEqual(CONTEXT - PROGRAM_LIMIT);
    }
    const [, empty] = await second([...tokens('same'), PROGRAM, END]);
    expect(empty).toMatchObject({ reward: 0, summary: 'not Python: SyntaxError' });
  });

  it('readTurn splits a turn at the first <program>', () => {
    expect(readTurn(written('return 0'))).toEqual({ program: written('return 0') });
    expect(readTurn([...fix, PROGRAM])).toEqual({ reflection: fix.slice(0, -1), program: [PROGRAM] });
  });
});

describe('environment without reflections', () => {
  const environment = createRepairEnvironment({}, { execute: new FakePython().execute, problems, tasks: [SUM_TASK] });

  it('without reflections, tokens, lengths, prompts and the name of the warm start do not change', () => {
    expect(environment.settings.reflection).toBe('none');
    expect(environment.vocabulary).toBe(REPAIR_VOCABULARY);
    expect([REPAIR_VOCABULARY.size, REPAIR_VOCABULARY.names.length, PROGRAM_LIMIT, CONTEXT]).toEqual([
      227, 227, 44, 128,
    ]);
    expect([environment.context, ...[0, 1, 2].map((turn) => environment.turnLimit(turn))]).toEqual([128, 44, 44, 44]);
    expect(warmStartName('repair', { ...environment.settings })).toBe(
      'repair_prior-sharp_repairShare-0.57_repairs-feedback_warmSeed-0',
    );
    const evaluated = { attempt: tokenize(NEARLY), results: SUM_TASK.tests.map(() => ({ value: 5 })) };
    expect(spell(repairPrompt(SUM_TASK, evaluated, 2))).toMatch(/ <c>$/);
  });

  it('existing tokens keep their numbers in the reflecting vocabulary', () => {
    const { names, size, kind } = REFLECTING_VOCABULARY;
    expect(size).toBe(238);
    expect(names.slice(0, 227)).toEqual(REPAIR_VOCABULARY.names);
    expect(names.slice(227).join(' ')).toBe(
      '<reflect> <program> operator condition constant variable call structure drop same more',
    );
    const added = Array.from({ length: 11 }, (_, at) => 227 + at);
    expect(added.some(isCode)).toBe(false);
    expect(added.map(kind)).toEqual(['markup', 'markup', ...new Array(9).fill('word')]);
    expect(warmStartName('repair', { ...environment.settings, reflection: 'written' })).toBe(
      'repair_prior-sharp_reflection-written_repairShare-0.57_repairs-feedback_warmSeed-0',
    );
  });
});

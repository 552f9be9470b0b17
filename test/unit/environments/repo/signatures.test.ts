import { describe, expect, it } from 'vitest';
import { actionSignature, editHash, Trace } from '../../../../src/environments/repo/episode.ts';
import type { Granularity } from '../../../../src/environments/repo/repoSettings.ts';
import { parseAction } from '../../../../src/environments/repo/vocabulary.ts';
import { PROBLEM, read } from './repoWorld.ts';

const DONE = { valid: true, ok: true };
const FAILED = { valid: true, ok: false };
const INVALID = { valid: false, ok: false };

describe('the signature of an edit', () => {
  // Computed by `printf minmax | md5sum`.
  it.each([
    ['min', 'max', 'f832'], // f832f113a662697460103d211cf145f5
    ['max', 'min', 'b98f'], // b98f12038dc35809a79d6735a5f84d16
    ['2', '1', '3c59'], // 3c59dc048e8850243be8079a5c74d079
  ])('the signature of an edit contains a hash of %s and %s', (old, replacement, hash) => {
    expect(editHash(old, replacement)).toBe(hash);
  });
});

describe('the signature of an action', () => {
  it.each([
    ['view core.py full', DONE, 'view:full@core.py'],
    ['view core.py p1', DONE, 'view:partial[1]@core.py'],
    ['view core.py p2', DONE, 'view:partial[2]@core.py'],
    ['view ops.py p2', INVALID, 'view:p2@ops.py:error'],
    ['view core.py max', INVALID, 'view:max@core.py:error'],
    ['search top', DONE, 'search:top@.'],
    ['search <pad>', INVALID, 'search:<pad>@.:error'],
    ['modify core.py min max', DONE, 'modify:replace:f832@core.py'],
    ['modify core.py max min', INVALID, 'modify:replace:b98f@core.py:error'],
    ['create ops.py', DONE, 'create@ops.py'],
    ['create core.py', INVALID, 'create@core.py:error'],
    ['execute app.py', DONE, 'execute@app.py:ok'],
    ['execute app.py', FAILED, 'execute@app.py:error'],
    ['execute ops.py', INVALID, 'execute@ops.py:error'],
    ['test', DONE, 'test@tests:ok'],
    ['test', FAILED, 'test@tests:error'],
    ['think', DONE, 'think'],
    ['finish', DONE, 'finish'],
    ['lib.py', INVALID, 'malformed:error'],
    ['modify core.py', INVALID, 'malformed:error'],
  ])('the signature of the action "%s" contains its tool, arguments and result', (text, done, signature) => {
    expect(actionSignature(parseAction(read(text)), done)).toBe(signature);
  });
});

describe('the signature of a state', () => {
  /** Returns the states before each action and after the last action. */
  const states = (granularity: Granularity, ...turns: readonly (readonly [string, typeof DONE, string?])[]) => {
    const trace = new Trace();
    const now = () => trace.state(granularity, PROBLEM.broken);
    return [
      now(),
      ...turns.map(([text, done, hits]) => {
        trace.add(parseAction(read(text)), done, ['ok'], hits?.split(' '));
        return now();
      }),
    ];
  };
  const TURNS: Parameters<typeof states>[1][] = [
    ['search top', DONE, 'lib.py core.py'],
    ['view core.py p2', DONE],
    ['view core.py full', DONE],
    ['modify core.py min max', DONE],
    ['test', FAILED],
    ['think', DONE],
    ['test', DONE],
    ['create ops.py', DONE],
  ];

  it('a "paper" state contains the actions on each file, sorted by file, and the counts', () => {
    expect(states('paper', ...TURNS)).toEqual([
      '#think=0,pass=0,fail=0',
      'core.py:S|lib.py:S#think=0,pass=0,fail=0',
      'core.py:S,V[2]|lib.py:S#think=0,pass=0,fail=0',
      'core.py:S,V[2],Vf|lib.py:S#think=0,pass=0,fail=0',
      'core.py:M:f832,S,V[2],Vf|lib.py:S#think=0,pass=0,fail=0',
      'core.py:M:f832,S,V[2],Vf|lib.py:S#think=0,pass=0,fail=1',
      'core.py:M:f832,S,V[2],Vf|lib.py:S#think=1,pass=0,fail=1',
      'core.py:M:f832,S,V[2],Vf|lib.py:S#think=1,pass=1,fail=1',
      'core.py:M:f832,S,V[2],Vf|lib.py:S|ops.py:C#think=1,pass=1,fail=1',
    ]);
  });

  it('a "coarse" state contains only edits and test results', () => {
    expect(states('coarse', ...TURNS)).toEqual([
      ...new Array(4).fill('#pass=0,fail=0'),
      'core.py:M:f832#pass=0,fail=0',
      'core.py:M:f832#pass=0,fail=1',
      'core.py:M:f832#pass=0,fail=1',
      'core.py:M:f832#pass=1,fail=1',
      'core.py:M:f832#pass=1,fail=1',
    ]);
  });

  it('a "history" state contains all actions so far', () => {
    expect(states('history', ['think', DONE], ['create core.py', INVALID], ['test', FAILED])).toEqual([
      '',
      '>think',
      '>think>create@core.py:error',
      '>think>create@core.py:error>test@tests:error',
    ]);
  });

  it('a "contents" state contains the files and the last reply', () => {
    const files =
      'app.py:app:a= top;return_a + clip|base.py:clip:y=[ min (v,k)_for_v_in_x];return sum (y)' +
      '|core.py:top:m= min (x);return_m + k|lib.py:span:n= len (x);return_n- 2';
    const [first, second] = states('contents', ['create ops.py', DONE]);
    expect([first, second]).toEqual([`${files}#`, `${files}#create ops.py > ok`]);
  });

  it('a "paper" state ignores the order of actions, invalid actions and executions', () => {
    const first = states('paper', ['view core.py full', DONE], ['search sum', DONE, 'base.py']);
    const second = states('paper', ['search sum', DONE, 'base.py'], ['view core.py full', DONE]);
    expect(first.at(-1)).toBe(second.at(-1));
    const idle = states('paper', ['view ops.py full', INVALID], ['execute app.py', DONE], ['lib.py', INVALID]);
    expect(new Set(idle)).toEqual(new Set(['#think=0,pass=0,fail=0']));
  });

  it('a copy of a trace continues without changing the original', () => {
    const trace = new Trace();
    trace.add(parseAction(read('view core.py full')), DONE, []);
    const copy = trace.copy();
    copy.add(parseAction(read('view core.py p1')), DONE, []);
    copy.add(parseAction(read('think')), DONE, []);
    expect(trace.state('paper', [])).toBe('core.py:Vf#think=0,pass=0,fail=0');
    expect(copy.state('paper', [])).toBe('core.py:V[1],Vf#think=1,pass=0,fail=0');
    expect(copy.state('history', [])).toBe('>view:full@core.py>view:partial[1]@core.py>think');
    expect(trace.state('history', [])).toBe('>view:full@core.py');
  });
});

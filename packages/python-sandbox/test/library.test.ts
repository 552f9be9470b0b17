import { beforeAll, expect, test } from 'vitest';
import { SandboxInterpreter } from '../src/guest/sandboxInterpreter.ts';
import { createNodeSource } from '../src/host/node.ts';
import { LIMITS } from '../src/types.ts';

let worker: SandboxInterpreter;
beforeAll(async () => {
  worker = await SandboxInterpreter.start(await createNodeSource().parts());
});

function run(...lines: string[]) {
  const [outcome] = worker.run({ program: lines.join('\n'), entry: 'f', inputs: [[]], limits: LIMITS }).outcomes;
  return outcome.kind === 'error' ? `${outcome.error.type}: ${outcome.error.message}` : outcome;
}

test('re.Scanner imports from its own package', () => {
  const outcome = run(
    'from re import Scanner',
    'def f():',
    '  return Scanner([(r"[a-z]+", lambda s, t: t), (r"\\d+", lambda s, t: int(t)), (r"\\s+", None)]).scan("ab 12 !")',
  );
  expect(outcome).toMatchObject({ kind: 'value', value: { tuple: [['ab', 12], '!'] } });
});

test('a relative import fails in a program, even with the globals of a library module', () => {
  const from = (globals: string, name: string) =>
    run(`import re, json\ndef f():\n  return str(__import__(${name}, ${globals}, None, ("x",), 1))`);
  expect(run('def f():\n  from . import re')).toBe(
    'ImportError: attempted relative import with no known parent package',
  );
  expect(from('json.__dict__', '"decoder"')).toBe(
    'ImportError: attempted relative import with no known parent package',
  );
  expect(from('re.__dict__', '"sys"')).toBe('ImportError: module sys is closed in the sandbox');
});

test('decimal.localcontext rejects an unknown setting', () => {
  const runContext = (settings: string) =>
    run(
      'from decimal import *',
      `def f():\n  with localcontext(${settings}) as c: return (c.prec, str(Decimal(1) / 3))`,
    );
  expect(runContext('prec=3')).toMatchObject({ kind: 'value', value: { tuple: [3, '0.333'] } });
  expect(runContext('precision=3')).toMatch(/^TypeError: .*unexpected keyword argument 'precision'/);
});

import { encodeCustomRule } from '../../src/credit/rules/custom/customRule.ts';
import type { CustomRules } from '../../src/customRules/customRules.ts';
import type { Group } from '../../src/rollouts/forest.ts';

/** Maximum number of steps of an attack. Attacks with endless loops use all of them. */
export const ATTACK_FUEL = 1_000_000;

/** Creates a group with three turns: a rollout of two turns and a rollout of one. */
export const small = (id: string): Group => ({
  id,
  turns: [
    { parent: -1, reward: 0.25, tokens: 1 },
    { parent: 0, reward: 0, outcome: 1, tokens: 1 },
    { parent: -1, reward: 0, outcome: 0, tokens: 1 },
  ],
});

/** Returns the error message for an attack on `groups`, or `a credit` if the rule computes credit. */
export function readAttackMessage(rules: CustomRules, source: string, groups: readonly Group[]): Promise<string> {
  return rules.work(encodeCustomRule({ file: 'my_rule.py', values: {}, source }), groups, 'turn').then(
    () => 'a credit',
    (error: Error) => error.message,
  );
}

/** A malicious rule, and the pattern of its error message; the pattern is undefined if the rule has a credit. */
export interface RuleAttack {
  readonly name: string;
  readonly source: string;
  readonly message?: RegExp;
}

const credit = (...lines: readonly string[]) =>
  `def credit(group):\n${lines.map((line) => `    ${line}\n`).join('')}    return [0.0] * len(group.turns)\n`;
const returns = (value: string, before = '') => `${before}\ndef credit(group):\n    return ${value}\n`;
const wide = 'len(group.turns)';

/** Attacks on the interface of rules by returned, retained or stolen data, and by output in the name of other code. */
export const RULE_ATTACKS: readonly RuleAttack[] = [
  { name: 'a file without a function', source: 'x = 1', message: /there is no function credit/ },
  { name: 'a class in place of the function', source: 'class credit: pass', message: /there is no function credit/ },
  {
    name: 'a function without a parameter',
    source: 'def credit():\n    return []',
    message: /line 1: credit must take the group/,
  },
  {
    name: 'a parameter without a default',
    source: 'def credit(group, x):\n    return []',
    message: /parameter x .* needs a default/,
  },
  {
    name: 'a parameter that is a list',
    source: 'def credit(group, x=[1]):\n    return []',
    message: /parameter x .* needs a default/,
  },
  { name: 'a syntax error', source: 'def credit(group):\n    return [', message: /line 2: does not parse/ },
  {
    name: 'a null character in the source',
    source: 'def credit(group):\n    return "\0"',
    message: /does not parse|null/,
  },
  {
    name: 'too few advantages',
    source: returns('[]'),
    message: /line 2, group "a".*: returned 0 advantages for 3 turns/,
  },
  {
    name: 'too many advantages',
    source: returns(`[0.0] * (${wide} + 1)`),
    message: /returned 4 advantages for 3 turns/,
  },
  { name: 'None instead of a list', source: returns('None'), message: /must return a list .* not None/ },
  { name: 'a generator instead of a list', source: returns('(0.0 for _ in group.turns)'), message: /not a generator/ },
  { name: 'a dict instead of a list', source: returns('{turn: 0.0 for turn in range(3)}'), message: /not a dict/ },
  {
    name: 'advantages that are strings',
    source: returns(`["1"] * ${wide}`),
    message: /turn 0: the advantage is a str, not a number/,
  },
  {
    name: 'an advantage that is a bool',
    source: returns('[0.0, True, 0.0]'),
    message: /turn 1: the advantage is a bool/,
  },
  { name: 'an advantage of NaN', source: returns('[0.0, 0.0, float("nan")]'), message: /turn 2: the advantage is NaN/ },
  {
    name: 'an infinite advantage',
    source: returns('[float("-inf"), 0.0, 0.0]'),
    message: /turn 0: the advantage is infinite/,
  },
  {
    name: 'an int above the range of a float',
    source: returns('[10 ** 400, 0, 0]'),
    message: /turn 0: the advantage is infinite/,
  },
  {
    name: 'an object with __float__',
    source: returns(`[F()] * ${wide}`, 'class F:\n    def __float__(self): return 1.0'),
    message: /turn 0: the advantage is a F/,
  },
  {
    name: 'a subclass of float',
    source: returns(`[F(1)] * ${wide}`, 'class F(float): pass'),
    message: /turn 0: the advantage is a F/,
  },
  {
    name: 'a subclass of list',
    source: returns('L([0.0, 0.0, 0.0])', 'class L(list): pass'),
    message: /must return a list .* not a L/,
  },
  {
    name: 'a subclass of list with a false length',
    source: returns('L([0.0])', 'class L(list):\n    def __len__(self): return 3'),
    message: /must return a list .* not a L/,
  },
  { name: 'a complex number', source: returns('[1j, 0.0, 0.0]'), message: /turn 0: the advantage is a complex/ },
  {
    name: 'a list that contains itself',
    source: credit('x = []', 'x.append(x)', 'return x'),
    message: /returned more than/,
  },
  {
    name: 'a list with two levels of nested lists',
    source: returns('[[[0.0]], 0.0, 0.0]'),
    message: /turn 0: the advantage of token 0/,
  },
  { name: 'a list of token advantages for a turn', source: returns('[[0.0], [0.0], [0.0]]'), message: /one a token/ },
  {
    name: 'an advantage after a pruned turn',
    source: returns('[None, 0.0, 0.0]'),
    message: /turn 1: has an advantage although turn 0/,
  },
  { name: 'a group with pruned turns only', source: returns(`[None] * ${wide}`) },
  { name: '10^9 advantages', source: returns('[0.0] * 10 ** 9'), message: /memory/ },
  {
    name: '10^9 advantages from a list comprehension',
    source: returns('[0.0 for _ in range(10 ** 9)]'),
    message: /steps|memory/,
  },
  {
    name: 'five million intermediate values',
    source: returns(`([0.0] * ${wide}, {"x": [0.0] * 5_000_000})`),
    message: /returned more/,
  },
  {
    name: 'an intermediate value that is a string',
    source: returns(`([0.0] * ${wide}, {"x": "y"})`),
    message: /'x' holds a str/,
  },
  ...['id', 'advantage', 'advantages'].map((field) => ({
    name: `an intermediate value with the reserved name ${field}`,
    source: returns(`([0.0] * ${wide}, {"${field}": [9]})`),
    message: new RegExp(`cannot be named '${field}'`),
  })),
  {
    name: 'an intermediate value without a name',
    source: returns(`([0.0] * ${wide}, {1: 0.0})`),
    message: /names that are texts/,
  },
  { name: 'an endless loop', source: credit('while True: pass'), message: /more than 1,000,000 steps/ },
  {
    name: 'an endless loop at import',
    source: `while True: pass\n${credit()}`,
    message: /more than 1,000,000 steps/,
  },
  {
    name: 'an endless loop that catches all exceptions',
    source: credit('while True:', '    try:', '        while True: pass', '    except BaseException: pass'),
    message: /steps/,
  },
  {
    name: 'excessive use of memory',
    source: credit('x = [bytearray(1 << 20) for _ in range(10 ** 6)]'),
    message: /memory/,
  },
  { name: 'endless recursion', source: credit('credit(group)'), message: /line 2, group "a": calls itself too deeply/ },
  {
    name: 'an exception',
    source: credit('for turn in range(3):', '    1 / (turn - 1)'),
    message: /line 3, group "a", turn 1: ZeroDivisionError/,
  },
  { name: 'SystemExit', source: credit('raise SystemExit'), message: /line 2, .*SystemExit/ },
  {
    name: 'an exception with an endless __str__',
    source: `class E(Exception):\n    def __str__(self):\n        while True: pass\n${credit('raise E()')}`,
    message: /steps/,
  },
  {
    name: 'a GroupError of the rule',
    source: `from turnwise_rl import GroupError\n${credit('raise GroupError("no", 1, "state")')}`,
    message: /group "a", turn 1, field "state": no/,
  },
  {
    name: 'changes to the input',
    source: credit(
      'for turn in group.turns:',
      '    turn.reward = turn.outcome = 99.0',
      'group.turns = ()',
      'return [0.0, 0.0, 0.0]',
    ),
  },
  {
    name: 'a counter of calls in a global list',
    source: `calls = []\n${credit('calls.append(1)', `return [float(len(calls))] * ${wide}`)}`,
    message: /another result in a second computation/,
  },
  {
    name: 'storage of earlier groups',
    source: `seen = {}\n${credit('seen[len(seen)] = group', `return [float(len(seen))] * ${wide}`)}`,
    message: /another result/,
  },
  {
    name: 'a counter of calls in a function attribute',
    source:
      'def credit(group, *, x=0, **kw):\n    credit.n = getattr(credit, "n", 0) + 1\n    return [float(credit.n)] * len(group.turns)',
    message: /another result/,
  },
  {
    name: 'a counter of calls in a library module',
    source: `import math\n${credit('math.n = getattr(math, "n", 0) + 1', `return [float(math.n)] * ${wide}`)}`,
    message: /another result/,
  },
  {
    name: 'advantages that depend on addresses',
    source: credit(`return [float(id(group))] * ${wide}`),
    message: /group "[ab]", turn 0: the same group got another result/,
  },
  {
    name: 'random numbers, which depend only on the group',
    source: `import random\n${credit(`return [random.random() for _ in group.turns]`)}`,
  },
  {
    name: 'random numbers from a custom seed',
    source: `import random\nrandom.seed(1)\n${credit(`return [random.random() for _ in group.turns]`)}`,
  },
  {
    name: 'access to a file',
    source: credit('open("/etc/passwd")'),
    message: /line 2, .*NameError/,
  },
  {
    name: 'an import of os',
    source: `import os\n${credit()}`,
    message: /line 1.*ImportError: module os is closed/,
  },
  {
    name: 'an import of ctypes',
    source: credit('import ctypes'),
    message: /line 2.*ImportError: module ctypes is closed/,
  },
  { name: 'an import of js', source: credit('import js'), message: /line 2.*ImportError: module js is closed/ },
  {
    name: 'a change to the module turnwise_rl',
    source: `import turnwise_rl\nturnwise_rl.Group = None\n${credit()}`,
    message: /TypeError/,
  },
  {
    name: 'a change to the module json',
    source: `import json\njson.loads = lambda text: []\n${credit()}`,
    message: /AttributeError|has changed what calls it|answered for some/,
  },
  {
    name: 'an import of inspect',
    source: credit('import inspect'),
    message: /ImportError/,
  },
  {
    name: 'a change to local variables of the caller',
    source: credit(
      'try:',
      '    1 / 0',
      'except ZeroDivisionError as error:',
      '    frame = error.__traceback__.tb_frame.f_back',
      '    frame.f_locals["names"].clear()',
    ),
    message: /KeyError: 'credit'/,
  },
  {
    name: 'an additional result in a list of the caller',
    source: credit(
      'try:',
      '    1 / 0',
      'except ZeroDivisionError as error:',
      '    up = error.__traceback__.tb_frame.f_back.f_back',
      '    up.f_locals["made"].append({"returned": [9.0, 9.0, 9.0]})',
    ),
    message: /has changed what calls it|another result|answered/,
  },
  {
    name: 'an import of gc',
    source: credit('import gc'),
    message: /ImportError: module gc is closed/,
  },
  { name: 'evaluation of the group id', source: credit('return [0.0] * len(eval(group.id))'), message: /NameError/ },
  {
    name: 'an annotation that raises an exception',
    source: 'def credit(group, x: (lambda: 1 / 0)() = 1.0):\n    return [0.0] * len(group.turns)',
    message: /division by zero/,
  },
  {
    name: 'a decorator that replaces the function by a class',
    source:
      'def hide(f):\n    class C:\n        def __call__(self, g): return [0.0] * 3\n    return C()\n@hide\ndef credit(group): return []',
    message: /there is no function credit/,
  },
  {
    name: '3,000 parameters',
    source: `def credit(group, ${Array.from({ length: 3000 }, (_, i) => `p${i}=1.0`).join(',')}):\n    return [0.0] * len(group.turns)`,
  },
];

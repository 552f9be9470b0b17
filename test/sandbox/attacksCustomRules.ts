import { encodeCustomRule } from '../../src/credit/rules/custom/customSource.ts';
import type { CustomRules } from '../../src/customRules/customRules.ts';
import type { Group } from '../../src/rollouts/forest.ts';

/** Steps that an attack may take: all that loop take them all. */
export const ATTACK_FUEL = 1_000_000;

/** Three turns: a rollout of two, a rollout of one. */
export const small = (id: string): Group => ({
  id,
  turns: [
    { parent: -1, reward: 0.25, tokens: 1 },
    { parent: 0, reward: 0, outcome: 1, tokens: 1 },
    { parent: -1, reward: 0, outcome: 0, tokens: 1 },
  ],
});

/** Returns the message about an attack on two groups. */
export function readAttackMessage(rules: CustomRules, source: string, groups: readonly Group[]): Promise<string> {
  return rules.work(encodeCustomRule({ file: 'my_rule.py', values: {}, source }), groups, 'turn').then(
    () => 'a credit',
    (error: Error) => error.message,
  );
}

/** A rule that misbehaves, and what is said of it; undefined where it does no harm and gives its credit. */
export interface RuleAttack {
  readonly name: string;
  readonly source: string;
  readonly message?: RegExp;
}

const credit = (...lines: readonly string[]) =>
  `def credit(group):\n${lines.map((line) => `    ${line}\n`).join('')}    return [0.0] * len(group.turns)\n`;
const returns = (value: string, before = '') => `${before}\ndef credit(group):\n    return ${value}\n`;
const wide = 'len(group.turns)';

/**
 * Attacks on the interface of rules: returned data, retained data, taken data, and output in the name of other code.
 */
export const RULE_ATTACKS: readonly RuleAttack[] = [
  { name: 'no function', source: 'x = 1', message: /there is no function credit/ },
  { name: 'a class in place of the function', source: 'class credit: pass', message: /there is no function credit/ },
  { name: 'no argument', source: 'def credit():\n    return []', message: /line 1: credit must take the group/ },
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
  { name: 'does not parse', source: 'def credit(group):\n    return [', message: /line 2: does not parse/ },
  { name: 'a NUL in the text', source: 'def credit(group):\n    return "\0"', message: /does not parse|null/ },
  { name: 'too few', source: returns('[]'), message: /line 2, group "a".*: returned 0 advantages for 3 turns/ },
  { name: 'too many', source: returns(`[0.0] * (${wide} + 1)`), message: /returned 4 advantages for 3 turns/ },
  { name: 'nothing', source: returns('None'), message: /must return a list .* not None/ },
  { name: 'a generator', source: returns('(0.0 for _ in group.turns)'), message: /not a generator/ },
  { name: 'a dict', source: returns('{turn: 0.0 for turn in range(3)}'), message: /not a dict/ },
  { name: 'texts', source: returns(`["1"] * ${wide}`), message: /turn 0: the advantage is a str, not a number/ },
  { name: 'True', source: returns('[0.0, True, 0.0]'), message: /turn 1: the advantage is a bool/ },
  { name: 'NaN', source: returns('[0.0, 0.0, float("nan")]'), message: /turn 2: the advantage is NaN/ },
  { name: 'infinity', source: returns('[float("-inf"), 0.0, 0.0]'), message: /turn 0: the advantage is infinite/ },
  {
    name: 'an int that no float holds',
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
    name: 'a list whose length changes while it is read',
    source: returns('L([0.0])', 'class L(list):\n    def __len__(self): return 3'),
    message: /must return a list .* not a L/,
  },
  { name: 'a complex number', source: returns('[1j, 0.0, 0.0]'), message: /turn 0: the advantage is a complex/ },
  {
    name: 'a list that holds itself',
    source: credit('x = []', 'x.append(x)', 'return x'),
    message: /returned more than/,
  },
  {
    name: 'a list within a list within a list',
    source: returns('[[[0.0]], 0.0, 0.0]'),
    message: /turn 0: the advantage of token 0/,
  },
  { name: 'a list of tokens for a turn', source: returns('[[0.0], [0.0], [0.0]]'), message: /one a token/ },
  {
    name: 'a living turn of a pruned one',
    source: returns('[None, 0.0, 0.0]'),
    message: /turn 1: has an advantage although turn 0/,
  },
  { name: 'all pruned', source: returns(`[None] * ${wide}`) },
  { name: '10^9 entries', source: returns('[0.0] * 10 ** 9'), message: /memory/ },
  { name: '10^9 entries from a generator', source: returns('[0.0 for _ in range(10 ** 9)]'), message: /steps|memory/ },
  {
    name: 'five million intermediate values',
    source: returns(`([0.0] * ${wide}, {"x": [0.0] * 5_000_000})`),
    message: /returned more/,
  },
  {
    name: 'an intermediate value that is a text',
    source: returns(`([0.0] * ${wide}, {"x": "y"})`),
    message: /'x' holds a str/,
  },
  ...['id', 'advantage', 'advantages'].map((field) => ({
    name: `the field ${field} of another line`,
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
    name: 'an endless loop when it is loaded',
    source: `while True: pass\n${credit()}`,
    message: /more than 1,000,000 steps/,
  },
  {
    name: 'an endless loop that catches everything',
    source: credit('while True:', '    try:', '        while True: pass', '    except BaseException: pass'),
    message: /steps/,
  },
  { name: 'memory', source: credit('x = [bytearray(1 << 20) for _ in range(10 ** 6)]'), message: /memory/ },
  { name: 'recursion', source: credit('credit(group)'), message: /line 2, group "a": calls itself too deeply/ },
  {
    name: 'an exception',
    source: credit('for turn in range(3):', '    1 / (turn - 1)'),
    message: /line 3, group "a", turn 1: ZeroDivisionError/,
  },
  { name: 'SystemExit', source: credit('raise SystemExit'), message: /line 2, .*SystemExit/ },
  {
    name: 'an exception whose text is a program',
    source: `class E(Exception):\n    def __str__(self):\n        while True: pass\n${credit('raise E()')}`,
    message: /steps/,
  },
  {
    name: 'a separate GroupError',
    source: `from turnwise_rl import GroupError\n${credit('raise GroupError("no", 1, "state")')}`,
    message: /group "a", turn 1, field "state": no/,
  },
  {
    name: 'writes into its input',
    source: credit(
      'for turn in group.turns:',
      '    turn.reward = turn.outcome = 99.0',
      'group.turns = ()',
      'return [0.0, 0.0, 0.0]',
    ),
  },
  {
    name: 'counts its calls',
    source: `calls = []\n${credit('calls.append(1)', `return [float(len(calls))] * ${wide}`)}`,
    message: /another result in a second computation/,
  },
  {
    name: 'keeps the groups that it has seen',
    source: `seen = {}\n${credit('seen[len(seen)] = group', `return [float(len(seen))] * ${wide}`)}`,
    message: /another result/,
  },
  {
    name: 'a default that remembers',
    source:
      'def credit(group, *, x=0, **kw):\n    credit.n = getattr(credit, "n", 0) + 1\n    return [float(credit.n)] * len(group.turns)',
    message: /another result/,
  },
  {
    name: 'hides its state in a module',
    source: `import math\n${credit('math.n = getattr(math, "n", 0) + 1', `return [float(math.n)] * ${wide}`)}`,
    message: /another result/,
  },
  {
    name: 'depends on addresses',
    source: credit(`return [float(id(group))] * ${wide}`),
    message: /group "[ab]", turn 0: the same group got another result/,
  },
  {
    name: 'draws numbers, which the group decides',
    source: `import random\n${credit(`return [random.random() for _ in group.turns]`)}`,
  },
  {
    name: 'seeds by hand',
    source: `import random\nrandom.seed(1)\n${credit(`return [random.random() for _ in group.turns]`)}`,
  },
  {
    name: 'a file',
    source: credit('open("/etc/passwd")'),
    message: /line 2, .*NameError/,
  },
  {
    name: 'a module that is closed',
    source: `import os\n${credit()}`,
    message: /line 1.*ImportError: module os is closed/,
  },
  { name: 'ctypes', source: credit('import ctypes'), message: /line 2.*ImportError: module ctypes is closed/ },
  { name: 'JavaScript', source: credit('import js'), message: /line 2.*ImportError: module js is closed/ },
  {
    name: 'turnwise that it changes',
    source: `import turnwise_rl\nturnwise_rl.Group = None\n${credit()}`,
    message: /TypeError/,
  },
  {
    name: 'json that it changes',
    source: `import json\njson.loads = lambda text: []\n${credit()}`,
    message: /AttributeError|has changed what calls it|answered for some/,
  },
  {
    name: 'looks up the stack and empties the list of its caller',
    source: credit('import inspect'),
    message: /ImportError/,
  },
  {
    name: 'walks to its caller and writes there',
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
    name: 'adds a result in its caller',
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
    name: 'reads the groups of another run',
    source: credit('import gc'),
    message: /ImportError: module gc is closed/,
  },
  { name: 'its name is a program', source: credit('return [0.0] * len(eval(group.id))'), message: /NameError/ },
  {
    name: 'annotations that run',
    source: 'def credit(group, x: (lambda: 1 / 0)() = 1.0):\n    return [0.0] * len(group.turns)',
    message: /division by zero/,
  },
  {
    name: 'a decorator that hides its parameters',
    source:
      'def hide(f):\n    class C:\n        def __call__(self, g): return [0.0] * 3\n    return C()\n@hide\ndef credit(group): return []',
    message: /there is no function credit/,
  },
  {
    name: 'a million parameters',
    source: `def credit(group, ${Array.from({ length: 3000 }, (_, i) => `p${i}=1.0`).join(',')}):\n    return [0.0] * len(group.turns)`,
  },
];

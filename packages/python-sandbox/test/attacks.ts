import type { Status } from '../src/types.ts';

/** A program that attempts an attack. It is called as f(20, 22) and should return 42. */
export interface Attack {
  readonly name: string;
  readonly program: string;
  /** Status that the sandbox must return. */
  readonly status: Status;
  /** Pattern that the error, or the returned value, must match. */
  readonly message?: RegExp;
}

/** Attacks by class. */
export const ATTACKS: Readonly<Record<string, readonly Attack[]>> = {
  'endless loops': [
    { name: 'while True', program: 'def f(a, b):\n  while True: pass', status: 'limit' },
    { name: 'a loop at import', program: 'while 1: pass\ndef f(a, b): return 42', status: 'limit' },
    { name: 'for over a growing list', program: 'def f(a, b):\n  l = [1]\n  for x in l: l.append(x)', status: 'limit' },
    {
      name: 'endless generators',
      program: 'def g():\n  while True: yield 1\ndef f(a, b):\n  for _ in g(): pass',
      status: 'limit',
    },
    { name: 'sum of a callable iterator', program: 'def f(a, b): return sum(iter(int, 1))', status: 'limit' },
    { name: 'max of count', program: 'import itertools\ndef f(a, b): return max(itertools.count())', status: 'limit' },
    {
      name: 'membership in a cycle',
      program: 'import itertools\ndef f(a, b): return 3 in itertools.cycle([1])',
      status: 'limit',
    },
    {
      name: 'deque of repeat',
      program: 'import itertools, collections\ndef f(a, b): return collections.deque(itertools.repeat(1), 1)',
      status: 'limit',
    },
    {
      name: 'any over map',
      program: 'import itertools\ndef f(a, b): return any(map(bool, itertools.repeat(0)))',
      status: 'limit',
    },
    {
      name: 'zip, filter, chain',
      program: 'import itertools as i\ndef f(a, b): return list(filter(None, i.chain.from_iterable(zip(i.repeat(0)))))',
      status: 'limit',
    },
    {
      name: 'endless __next__',
      program:
        'class E:\n  def __iter__(self): return self\n  def __next__(self): return 1\ndef f(a, b): return sum(E())',
      status: 'limit',
    },
    {
      name: 'endless __getitem__',
      program: 'class E:\n  def __getitem__(self, i): return 0\ndef f(a, b): return sum(E())',
      status: 'limit',
    },
    {
      name: 'comprehension over range',
      program: 'def f(a, b): return len({x % 7 for x in range(10**12)})',
      status: 'limit',
    },
    {
      name: 'statistics of count',
      program: 'import itertools, statistics\ndef f(a, b): return statistics.mean(itertools.count())',
      status: 'limit',
    },
  ],
  'endless work in C': [
    { name: 'power', program: 'def f(a, b): return 10 ** 10 ** 8 % 7', status: 'limit' },
    { name: 'tower of powers', program: 'def f(a, b): return 9 ** 9 ** 9 ** 9', status: 'limit' },
    { name: 'pow()', program: 'def f(a, b): return pow(7, 10**9) & 1', status: 'limit' },
    { name: 'modular power', program: 'def f(a, b):\n  n = 1 << 200_000\n  return pow(3, n, n - 1)', status: 'limit' },
    { name: 'shift', program: 'def f(a, b): return (1 << 10**10) & 1', status: 'limit' },
    {
      name: 'repeated squaring',
      program: 'def f(a, b):\n  x = 3\n  for _ in range(60): x = x * x\n  return x & 1',
      status: 'limit',
    },
    { name: 'factorial', program: 'import math\ndef f(a, b): return math.factorial(10**7) & 1', status: 'limit' },
    { name: 'binomials', program: 'import math\ndef f(a, b): return math.comb(10**8, 5 * 10**7) & 1', status: 'limit' },
    {
      name: 'catastrophic regular expression',
      program: 'import re\ndef f(a, b): return re.match(r"(a+)+$", "a" * 40 + "b")',
      status: 'limit',
    },
    {
      name: 'catastrophic substitution',
      program: 'import re\ndef f(a, b): return re.sub(r"(x+x+)+y", "", "x" * 60)',
      status: 'limit',
    },
    { name: 'sum of a long range', program: 'def f(a, b): return sum(range(10**10))', status: 'limit' },
    { name: 'sorting a long range', program: 'def f(a, b): return sorted(range(10**7))[0]', status: 'limit' },
    {
      name: 'permutations',
      program: 'import itertools\ndef f(a, b): return sum(1 for _ in itertools.permutations(range(20)))',
      status: 'limit',
    },
    {
      name: 'product counted by a deque',
      program:
        'import itertools, collections\ndef f(a, b): collections.deque(itertools.product(range(99), repeat=9), 0)',
      status: 'limit',
    },
  ],
  recursion: [
    { name: 'direct recursion', program: 'def f(a, b): return f(a, b)', status: 'error', message: /RecursionError/ },
    {
      name: 'recursion with a raised limit',
      program: 'import sys\nsys.setrecursionlimit(10**9)\ndef f(a, b): return f(a, b) + 1',
      status: 'error',
      message: /RecursionError/,
    },
    {
      name: 'recursion through C',
      program: 'class A:\n  def __repr__(self): return repr(self)\ndef f(a, b): return repr(A())',
      status: 'error',
      message: /RecursionError/,
    },
    {
      name: 'recursion through __getattr__',
      program: 'class A:\n  def __getattr__(self, n): return getattr(self, n + "x")\ndef f(a, b): return A().x',
      status: 'error',
      message: /RecursionError/,
    },
    {
      name: 'nested data',
      program: 'def f(a, b):\n  x = []\n  for _ in range(100_000): x = [x]\n  return x == x and repr(x)',
      status: 'error',
      message: /RecursionError/,
    },
    {
      name: 'comparison of nested data',
      program: 'def f(a, b):\n  x, y = [], []\n  for _ in range(30_000): x, y = [x], [y]\n  return x == y',
      status: 'error',
      message: /RecursionError/,
    },
    {
      name: 'a result that is nested too deeply',
      program: 'def f(a, b):\n  x = []\n  for _ in range(1000): x = [x]\n  return x',
      status: 'limit',
    },
    {
      name: 'a result that contains itself',
      program: 'def f(a, b):\n  x = []\n  x.append(x)\n  return x',
      status: 'limit',
    },
    {
      name: 'nested parentheses',
      program: `def f(a, b): return ${'('.repeat(5000)}1${')'.repeat(5000)}`,
      status: 'error',
      message: /SyntaxError|MemoryError|RecursionError/,
    },
    {
      name: 'nested unary operators',
      program: `def f(a, b): return ${'-'.repeat(50_000)}1`,
      status: 'error',
      message: /RecursionError|MemoryError|SyntaxError/,
    },
    {
      name: 'a repeated call after a RecursionError',
      program: 'def f(a, b):\n  try: f(a, b)\n  except RecursionError: f(a, b)\n  finally: f(a, b)',
      status: 'limit',
    },
  ],
  memory: [
    { name: 'list of a long range', program: 'def f(a, b): return list(range(10**9))', status: 'limit' },
    { name: 'repeated string', program: 'def f(a, b): return "x" * 10**9', status: 'limit' },
    { name: 'repeated list', program: 'def f(a, b): return [0] * 10**8', status: 'limit' },
    { name: 'doubling', program: 'def f(a, b):\n  s = "x"\n  while True: s += s', status: 'limit' },
    {
      name: 'caught MemoryError',
      program: 'def f(a, b):\n  while True:\n    try: x = bytearray(10**9)\n    except MemoryError: pass',
      status: 'limit',
    },
    { name: 'format width', program: 'def f(a, b): return f"{1:>{10**9}}"', status: 'limit' },
    { name: 'join', program: 'def f(a, b): return ",".join(["x" * 10**6] * 1000)', status: 'limit' },
    { name: 'large result', program: 'def f(a, b): return list(range(100_000))', status: 'limit' },
    { name: 'many tuples', program: 'def f(a, b):\n  l = []\n  while True: l.append((a,) * 60)', status: 'limit' },
  ],
  output: [
    {
      name: 'excessive output before the result',
      program: 'def f(a, b):\n  for i in range(2000): print("x" * 1000)\n  return a + b',
      status: 'passed',
    },
    { name: 'endless output', program: 'def f(a, b):\n  while True: print("spam")', status: 'limit' },
    {
      name: 'printed markers',
      program:
        'def f(a, b):\n  print(\'{"type":"report","nonce":"x","index":0,"status":"passed"}\')\n  print("42\\nOK\\nPASSED")\n  return None',
      status: 'failed',
      message: /None/,
    },
    {
      name: 'output to the standard streams',
      program:
        'import sys\ndef f(a, b):\n  sys.stderr.write("42"); sys.stdout.write("PASSED"); sys.__stdout__.write("42")',
      status: 'error',
      message: /AttributeError/,
    },
  ],
  'early exits': [
    { name: 'sys.exit(0)', program: 'import sys\ndef f(a, b): sys.exit(0)', status: 'error', message: /SystemExit/ },
    { name: 'SystemExit at import', program: 'raise SystemExit(0)', status: 'error', message: /SystemExit/ },
    { name: 'os._exit', program: 'import os\ndef f(a, b): os._exit(0)', status: 'error', message: /ImportError/ },
    { name: 'exit()', program: 'def f(a, b): exit(42)', status: 'error', message: /SystemExit/ },
    { name: 'exception at import', program: 'raise ValueError("42")', status: 'error', message: /ValueError.*42/ },
    {
      name: 'KeyboardInterrupt',
      program: 'def f(a, b): raise KeyboardInterrupt',
      status: 'error',
      message: /KeyboardInterrupt/,
    },
    { name: 'GeneratorExit', program: 'def f(a, b): raise GeneratorExit', status: 'error', message: /GeneratorExit/ },
    { name: 'a missing entry point', program: 'def g(a, b): return 42', status: 'error', message: /no f/ },
    {
      name: 'abort by signal',
      program: 'import signal\ndef f(a, b): signal.raise_signal(9)',
      status: 'error',
      message: /ImportError/,
    },
  ],
  'objects that imitate the result': [
    {
      name: '__eq__',
      program: 'class L:\n  def __eq__(self, o): return True\ndef f(a, b): return L()',
      status: 'failed',
      message: /<L>/,
    },
    {
      name: '__eq__, __hash__ and __bool__',
      program:
        'class L:\n  __eq__ = lambda s, o: True\n  __hash__ = lambda s: 42\n  __bool__ = lambda s: True\n  __int__ = __index__ = lambda s: 42\ndef f(a, b): return L()',
      status: 'failed',
    },
    {
      name: 'subclass of int',
      program: 'class I(int):\n  def __eq__(self, o): return True\ndef f(a, b): return I(42)',
      status: 'failed',
      message: /<I>/,
    },
    { name: 'subclass of str', program: 'class S(str): pass\ndef f(a, b): return S("42")', status: 'failed' },
    {
      name: 'subclass of list',
      program: 'class L(list):\n  def __eq__(self, o): return True\ndef f(a, b): return L([42])',
      status: 'failed',
    },
    {
      name: 'subclass of float inside a list',
      program: 'class F(float): pass\ndef f(a, b): return [F(42)]',
      status: 'failed',
      message: /<F>/,
    },
    {
      name: 'metaclass',
      program:
        'class M(type):\n  __eq__ = lambda s, o: True\n  __instancecheck__ = lambda s, o: True\nclass L(metaclass=M): pass\ndef f(a, b): return L',
      status: 'failed',
    },
    {
      name: 'a false __class__',
      program: 'class L:\n  __class__ = int\ndef f(a, b): return L()',
      status: 'failed',
      message: /<L>/,
    },
    { name: 'NaN', program: 'def f(a, b): return float("nan")', status: 'failed', message: /nan/ },
    {
      name: 'True as a result',
      program: 'def f(a, b): return [True] * 42 == [1] * 42',
      status: 'failed',
      message: /True/,
    },
    { name: 'a generator', program: 'def f(a, b): yield 42', status: 'failed', message: /generator/ },
    { name: 'the result as a string', program: 'def f(a, b): return "42"', status: 'failed' },
    { name: 'an exception as a result', program: 'def f(a, b): return ValueError(42)', status: 'failed' },
    {
      name: 'an exception with an endless __str__',
      program: 'class E(Exception):\n  def __str__(self):\n    while True: pass\ndef f(a, b): raise E',
      status: 'limit',
    },
    {
      name: 'an exception with a false __name__',
      program:
        'class M(type):\n  __name__ = property(lambda s: 42 / 0)\nclass E(Exception, metaclass=M): pass\ndef f(a, b): raise E("x")',
      status: 'error',
      message: /E.*x/,
    },
  ],
};

import type { Attack } from './attacks.ts';

/** A program with a body that ends in 42. */
const body = (imports: string, ...lines: string[]) =>
  `import ${imports}\ndef f(a, b):\n${lines.map((line) => `  ${line}\n`).join('')}  return a + b`;

/** Attacks on what all programs of an interpreter share, and work that only C code does. */
export const ATTACKS_SHARED: Readonly<Record<string, readonly Attack[]>> = {
  'the shared library': [
    {
      name: 'the name of a function by its descriptor',
      program: body('heapq', 'type(f).__dict__["__name__"].__set__(heapq.merge, "x")'),
      status: 'passed',
    },
    {
      name: 'the docstring of a function by its descriptor',
      program: body('heapq', 'type(f).__dict__["__doc__"].__set__(heapq.merge, "x")'),
      status: 'passed',
    },
    {
      name: 'the names of its function',
      program: body(
        'functools',
        'f.__name__ = f.__qualname__ = f.__doc__ = f.__module__ = "x"',
        'assert (f.__name__, f.__doc__, f.__module__) == ("x", "x", "x")',
      ),
      status: 'passed',
    },
    {
      name: 'a property that is initialised again',
      program: body('fractions', 'fractions.Fraction.__dict__["numerator"].__init__(lambda self: 42)'),
      status: 'passed',
    },
    {
      name: 'the attributes of a class method',
      program: body('fractions', 'fractions.Fraction.__dict__["from_float"].x = 1'),
      status: 'passed',
    },
    { name: 'the module of a built-in', program: body('math', 'len.__module__ = "x"'), status: 'passed' },
    { name: 'an attribute of a type variable', program: body('typing', 'typing.AnyStr.x = 1'), status: 'passed' },
    {
      name: 'the registry of an abstract class',
      program: body('numbers', 'numbers.Integral._abc_registry_clear()'),
      status: 'passed',
    },
    {
      name: 'one element of a set for another',
      program: body('hashlib', 's = hashlib.algorithms_guaranteed', 's.remove("md5"); s.add("x")'),
      status: 'passed',
    },
    {
      name: 'a namespace by its own __init__',
      program: body('sys', 'type(sys.implementation).__init__(sys.implementation, name="x")'),
      status: 'passed',
    },
    {
      name: 'a member by object.__setattr__',
      program: body('re', 'object.__setattr__(re.I, "_value_", 0)'),
      status: 'passed',
    },
    {
      name: 'attributes of a type by their descriptors',
      program: body(
        'collections',
        'for n in ("__name__", "__bases__", "__doc__", "__annotations__", "__module__"):',
        '  try: type.__dict__[n].__set__(collections.Counter, "x")',
        '  except TypeError: continue',
        '  return n',
      ),
      status: 'failed',
      message: /__name__/,
    },
    {
      name: 'a coroutine that is never awaited in a frame of the library',
      program:
        'import heapq\nasync def g(): pass\ndef f(a, b): return heapq.nsmallest(1, [42], key=lambda x: g() and 0)[0]',
      status: 'passed',
    },
  ],
  'work that takes no memory': (
    [
      ['counting in a string', 's = "x" * 10**6', 'while True: s.count("y")'],
      ['looking in a list', 'l = [0] * 10**6', 'while True: 1 in l'],
      ['looking in a list by its method', 'l = [0] * 10**6', 'while True: l.__contains__(1)'],
      ['moving a list', 'l = [0] * 10**6', 'while True: l.insert(0, l.pop(0))'],
      ['comparing lists', 'l = [0] * 10**6; m = l[:]', 'while True: l == m'],
      ['comparing tuples that hold each other', 't, u = (), ()', 'for _ in range(40): t, u = (t, t), (u, u)', 't == u'],
      ['cutting sets', 's = set(range(30000)); t = set(range(30000, 60000))', 'while True: s & t'],
      ['sorting', 'l = list(range(30000))', 'while True: l.reverse(); l.sort()'],
      ['keys that collide', '{i * (2**31 - 1) for i in range(1, 40000)}'],
      ['a heap', 'l = list(range(30000, 0, -1))', 'import heapq', 'while True: heapq.heapify(l[:])'],
      ['an array', 'import array', 'x = array.array("b", b"x" * 10**7)', 'while True: x.count(3)'],
      ['memory views', 'x = memoryview(bytes(10**7)); y = memoryview(bytes(10**7))', 'while True: x == y'],
      ['decimals of many digits', 'import decimal', 'decimal.getcontext().prec = 20000', 'decimal.Decimal(2).exp()'],
      ['a local context', 'import decimal', 'with decimal.localcontext(prec=10**5): decimal.Decimal(3).ln()'],
      [
        'a context made with digits',
        'import decimal',
        'decimal.Context(prec=10**5).power(decimal.Decimal(3), decimal.Decimal("0.5"))',
      ],
      ['a decimal as an int', 'import decimal', 'int(decimal.Decimal("1e900000"))'],
    ] as const
  ).map(
    ([name, ...lines]): Attack => ({
      name,
      program: body('math', ...lines),
      status: 'limit',
      message: /fuel/,
    }),
  ),
};

import type { Attack } from './attacks.ts';

/** Creates a program that imports modules, runs lines in its function and returns 42. */
const body = (imports: string, ...lines: string[]) =>
  `import ${imports}\ndef f(a, b):\n${lines.map((line) => `  ${line}\n`).join('')}  return a + b`;

/** Attacks on objects that all programs of an interpreter share, and by work in C code only. */
export const ATTACKS_SHARED: Readonly<Record<string, readonly Attack[]>> = {
  'changes to the shared library': [
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
      name: 'the names of the function of the program',
      program: body(
        'functools',
        'f.__name__ = f.__qualname__ = f.__doc__ = f.__module__ = "x"',
        'assert (f.__name__, f.__doc__, f.__module__) == ("x", "x", "x")',
      ),
      status: 'passed',
    },
    {
      name: 'a second initialisation of a property',
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
      name: 'a replaced element of a set',
      program: body('hashlib', 's = hashlib.algorithms_guaranteed', 's.remove("md5"); s.add("x")'),
      status: 'passed',
    },
    {
      name: 'a namespace by its __init__',
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
  'work in C with constant memory': (
    [
      ['count in a string', 's = "x" * 10**6', 'while True: s.count("y")'],
      ['search in a list', 'l = [0] * 10**6', 'while True: 1 in l'],
      ['search in a list by __contains__', 'l = [0] * 10**6', 'while True: l.__contains__(1)'],
      ['rotation of a list', 'l = [0] * 10**6', 'while True: l.insert(0, l.pop(0))'],
      ['comparison of lists', 'l = [0] * 10**6; m = l[:]', 'while True: l == m'],
      [
        'comparison of tuples with shared elements',
        't, u = (), ()',
        'for _ in range(40): t, u = (t, t), (u, u)',
        't == u',
      ],
      ['intersection of sets', 's = set(range(30000)); t = set(range(30000, 60000))', 'while True: s & t'],
      ['sort of a list', 'l = list(range(30000))', 'while True: l.reverse(); l.sort()'],
      ['keys with equal hashes', '{i * (2**31 - 1) for i in range(1, 40000)}'],
      ['construction of a heap', 'l = list(range(30000, 0, -1))', 'import heapq', 'while True: heapq.heapify(l[:])'],
      ['count in an array', 'import array', 'x = array.array("b", b"x" * 10**7)', 'while True: x.count(3)'],
      [
        'comparison of memory views',
        'x = memoryview(bytes(10**7)); y = memoryview(bytes(10**7))',
        'while True: x == y',
      ],
      ['decimals of many digits', 'import decimal', 'decimal.getcontext().prec = 20000', 'decimal.Decimal(2).exp()'],
      ['a local context', 'import decimal', 'with decimal.localcontext(prec=10**5): decimal.Decimal(3).ln()'],
      [
        'a context with a high precision',
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

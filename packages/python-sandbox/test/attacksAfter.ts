import type { Attack } from './attacks.ts';

/**
 * Body of a finalizer without an end. If its steps were not counted, only the watchdog would end it, and the result
 * would have the status `limit`.
 */
const FOREVER = 'while True: pass';
/** Body of a finalizer with a change that the next program would see. */
const TAMPER = 'key["_value_"] = 0';

const finalizer = (body: string, base = '') =>
  `import re, decimal\nclass D${base}:\n  def __del__(self, key=re.I.__dict__, compile=re.compile):\n    ${body}\n`;

/** Attacks by code that runs after a test: finalizers, and methods of returned objects that the host calls. */
export const ATTACKS_AFTER: Readonly<Record<string, readonly Attack[]>> = {
  'code that runs after the test': [
    {
      name: 'a result with an endless finalizer',
      program: `${finalizer(FOREVER)}def f(a, b): return D()`,
      status: 'failed',
    },
    {
      name: 'a result with a finalizer that changes the library',
      program: `${finalizer(TAMPER)}def f(a, b): return D()`,
      status: 'failed',
    },
    {
      name: 'an exception with an endless finalizer',
      program: `${finalizer(FOREVER, '(Exception)')}def f(a, b): raise D()`,
      status: 'error',
    },
    {
      name: 'a result with the arguments and an endless finalizer',
      program: `${finalizer(FOREVER)}def f(*a):\n  return [a, D()]`,
      status: 'failed',
    },
    {
      name: 'a stream with a replaced getvalue',
      program:
        'import sys\ndef evil():\n  while True: pass\nsys.stdout.getvalue = evil\ndef f(a, b):\n  print("x")\n  return a + b',
      status: 'passed',
    },
    {
      name: 'a stream with false output',
      program: 'import sys\nsys.stdout.getvalue = lambda: "PASSED"\ndef f(a, b):\n  print("x")\n  return None',
      status: 'failed',
    },
    {
      name: 'a stream with an endless finalizer',
      program: `${finalizer(FOREVER)}import sys\nsys.stdout.x = D()\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a built-in with an endless finalizer',
      program: `${finalizer(FOREVER)}vars(__builtins__)["x"] = D()\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a module with an endless finalizer',
      program: `${finalizer(FOREVER)}import math\nmath.x = D()\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'the module __main__ with an endless finalizer',
      program: `${finalizer(FOREVER)}import __main__\n__main__.x = D()\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a finalizer that assigns a new object to a global',
      program: `${finalizer('global x\n    x = D()')}x = D()\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a finalizer that creates another object with a reference cycle',
      program: `${finalizer('d = type(self)(); d.d = d')}d = D(); d.d = d\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a finalizer that imports',
      program: `${finalizer('import math, collections\n    collections.Counter([math.sqrt(4)])')}import math\nd = D(); d.d = d\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a library cache with an endless finalizer',
      program: `import re\n${finalizer(FOREVER, '(str)')}re.compile(D("a+"))\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a finalizer that adds entries to a library cache',
      program: `import re\n${finalizer('compile(type(self)("b+"))', '(str)')}re.compile(D("a+"))\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a decimal context with an endless finalizer',
      program: `import decimal\n${finalizer(FOREVER, '(decimal.Context)')}decimal.setcontext(D())\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'the random generator with an endless finalizer',
      program: `import random\n${finalizer(FOREVER)}random.seed.__self__.x = D()\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a finalizer that prints a frame',
      program: `out = []\n${finalizer('try: 1 / 0\n    except Exception as e: print(e.__traceback__.tb_frame)')}def f(a, b): return [a + b, D()][0]`,
      status: 'passed',
    },
    {
      name: 'output by a subclass of str',
      program:
        'class S(str): pass\nclass A:\n  def __str__(self): return S("x" * 10**5)\ndef f(a, b):\n  for _ in range(100): print(A())\n  return a + b',
      status: 'passed',
    },
  ],
};

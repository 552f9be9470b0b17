import type { Attack } from './attacks.ts';

/** If no code counts its steps, no code watches a finalizer either: the watchdog would have to end this, as a limit. */
const FOREVER = 'while True: pass';
/** A change that would remain for the next program. */
const TAMPER = 'key["_value_"] = 0';

const finalizer = (body: string, base = '') =>
  `import re, decimal\nclass D${base}:\n  def __del__(self, key=re.I.__dict__, compile=re.compile):\n    ${body}\n`;

/** Attacks by code that runs when a test is over: finalizers, and what the host asks of a program's objects. */
export const ATTACKS_AFTER: Readonly<Record<string, readonly Attack[]>> = {
  'after the test': [
    {
      name: 'a result with a finalizer that loops',
      program: `${finalizer(FOREVER)}def f(a, b): return D()`,
      status: 'failed',
    },
    {
      name: 'a result with a finalizer that tampers',
      program: `${finalizer(TAMPER)}def f(a, b): return D()`,
      status: 'failed',
    },
    {
      name: 'an exception with a finalizer that loops',
      program: `${finalizer(FOREVER, '(Exception)')}def f(a, b): raise D()`,
      status: 'error',
    },
    {
      name: 'arguments that are passed to a finalizer',
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
      name: 'a stream that lies about what was printed',
      program: 'import sys\nsys.stdout.getvalue = lambda: "PASSED"\ndef f(a, b):\n  print("x")\n  return None',
      status: 'failed',
    },
    {
      name: 'a stream that holds a finalizer that loops',
      program: `${finalizer(FOREVER)}import sys\nsys.stdout.x = D()\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a built-in with a finalizer that loops',
      program: `${finalizer(FOREVER)}vars(__builtins__)["x"] = D()\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a module with a finalizer that loops',
      program: `${finalizer(FOREVER)}import math\nmath.x = D()\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'the program as a module with a finalizer that loops',
      program: `${finalizer(FOREVER)}import __main__\n__main__.x = D()\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a finalizer that puts itself back into the globals',
      program: `${finalizer('global x\n    x = D()')}x = D()\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a finalizer that makes another, in a circle',
      program: `${finalizer('d = type(self)(); d.d = d')}d = D(); d.d = d\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a finalizer that imports',
      program: `${finalizer('import math, collections\n    collections.Counter([math.sqrt(4)])')}import math\nd = D(); d.d = d\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a cache of the library that holds a finalizer that loops',
      program: `import re\n${finalizer(FOREVER, '(str)')}re.compile(D("a+"))\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a cache of the library that is filled again and again',
      program: `import re\n${finalizer('compile(type(self)("b+"))', '(str)')}re.compile(D("a+"))\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a context of decimal with a finalizer that loops',
      program: `import decimal\n${finalizer(FOREVER, '(decimal.Context)')}decimal.setcontext(D())\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'the random generator that holds a finalizer that loops',
      program: `import random\n${finalizer(FOREVER)}random.seed.__self__.x = D()\ndef f(a, b): return a + b`,
      status: 'passed',
    },
    {
      name: 'a finalizer that looks at frames',
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

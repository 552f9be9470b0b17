import type { Attack } from './attacks.ts';

/** Attacks on the interpreter: on its library, on introspection and on the objects that introspection reaches. */
export const ATTACKS_INSIDE: Readonly<Record<string, readonly Attack[]>> = {
  'patched library': [
    {
      name: 'builtins.len',
      program: 'import builtins\nbuiltins.len = lambda x: 7\ndef f(a, b): return len([]) + 35',
      status: 'passed',
    },
    {
      name: 'emptied __builtins__',
      program: 'vars(__builtins__).clear()\ndef f(a, b): return a + b',
      status: 'passed',
    },
    {
      name: 'isinstance and type',
      program:
        'import builtins\nbuiltins.isinstance = builtins.type = builtins.repr = lambda *a: True\ndef f(a, b): return None',
      status: 'failed',
    },
    {
      name: 'math.sqrt',
      program: 'import math\nmath.sqrt = lambda x: 42\ndef f(a, b): return math.sqrt(1)',
      status: 'passed',
    },
    {
      name: 'json.dumps',
      program:
        'import json\njson.dumps = lambda *a, **k: "42"\njson.encoder.JSONEncoder.encode = lambda *a: "42"\ndef f(a, b): return None',
      status: 'failed',
      message: /None/,
    },
    {
      name: 'a class of the library',
      program: 'import collections\ndef f(a, b): collections.Counter.update = None',
      status: 'failed',
      message: /None/,
    },
    {
      name: 'a function of the library',
      program: 'import heapq\ndef f(a, b): heapq.merge.__defaults__ = (1,)',
      status: 'failed',
      message: /None/,
    },
    {
      name: 'code of a library function',
      program: 'import heapq\ndef f(a, b): heapq.merge.__code__ = f.__code__',
      status: 'failed',
      message: /None/,
    },
    {
      name: 'a member of an enum',
      program: 'import re\ndef f(a, b): re.I._value_ = 0',
      status: 'failed',
      message: /None/,
    },
    {
      name: 'the dict of an enum member',
      program: 'import re\ndef f(a, b): re.I.__dict__["_value_"] = 0; return a + b',
      status: 'passed',
    },
    {
      name: 'a map of an enum',
      program: 'import re\ndef f(a, b): re.RegexFlag._member_map_["X"] = 1; return a + b',
      status: 'passed',
    },
    {
      name: 'a list of an enum',
      program: 'import re\ndef f(a, b): re.RegexFlag._member_names_.append("X"); return a + b',
      status: 'passed',
    },
    {
      name: 'a virtual subclass',
      program: 'from collections.abc import Sequence\ndef f(a, b): Sequence.register(int)',
      status: 'failed',
      message: /None/,
    },
    {
      name: 'the dict behind a mapping proxy',
      program: 'class T:\n  def __eq__(self, d): d["bit_count"] = 1\ndef f(a, b): return int.__dict__ == T()',
      status: 'failed',
      message: /None/,
    },
    {
      name: 'the dict behind a mapping proxy, by the operator |',
      program:
        'class T:\n  def __ror__(self, d): d["bit_count"] = 1; return 42\ndef f(a, b): return int.__dict__ | T()',
      status: 'passed',
    },
    {
      name: 'type.__setattr__',
      program: 'def f(a, b): type.__setattr__(int, "x", 1)',
      status: 'error',
      message: /TypeError/,
    },
    {
      name: 'the class of an object',
      program:
        'import random\nclass R(random.Random):\n  def random(self): return 0.5\ndef f(a, b): random.random.__self__.__class__ = R',
      status: 'failed',
      message: /None/,
    },
    {
      name: 'contexts of decimal',
      program: 'import decimal\ndecimal.DefaultContext.prec = 1\ndef f(a, b): return a + b',
      status: 'passed',
    },
  ],
  'frames and garbage collection': [
    {
      name: 'sys._getframe',
      program: 'import sys\ndef f(a, b): return sys._getframe().f_back',
      status: 'failed',
      message: /None/,
    },
    {
      name: 'tb_frame',
      program: 'def f(a, b):\n  try: 1 / 0\n  except Exception as e: return e.__traceback__.tb_frame.f_back',
      status: 'failed',
      message: /None/,
    },
    {
      name: 'gi_frame',
      program: 'def f(a, b):\n  g = (x for x in [1])\n  return g.gi_frame.f_back',
      status: 'failed',
      message: /None/,
    },
    {
      name: 'gi_code',
      program: 'def f(a, b): return (x for x in [1]).gi_code.co_consts',
      status: 'failed',
    },
    { name: 'gc', program: 'import gc\ndef f(a, b): return gc.get_objects()', status: 'error', message: /ImportError/ },
    {
      name: 'object.__subclasses__',
      program:
        'def f(a, b):\n  names = [c.__name__ for c in object.__subclasses__()]\n  return 42 if not any("JsProxy" in n or "JsException" in n for n in names) else names',
      status: 'passed',
    },
    {
      name: '__globals__ of the library',
      program: 'import heapq\ndef f(a, b): return heapq.merge.__globals__',
      status: 'limit',
      message: /result/,
    },
    {
      name: '__globals__ by update_wrapper',
      program:
        'import functools, heapq\ndef f(a, b):\n  w = lambda: 0\n  functools.update_wrapper(w, heapq.merge, assigned=("__globals__",))\n  return "nsmallest" in w.__globals__',
      status: 'error',
      message: /readonly/,
    },
    {
      name: '__builtins__ of the library',
      program: 'import heapq\ndef f(a, b): return heapq.merge.__builtins__',
      status: 'limit',
      message: /result/,
    },
    {
      name: '__self__ of a builtin',
      program: 'import math\ndef f(a, b): math.sqrt.__self__.floor = 1',
      status: 'failed',
      message: /None/,
    },
    {
      name: 'eval in a library frame',
      program: 'import heapq\ndef f(a, b): return heapq.nsmallest(1, ["__builtins__"], key=eval)',
      status: 'failed',
    },
    {
      name: 'eval in a cached property',
      program:
        'import functools\nclass S(str):\n  x = functools.cached_property(eval)\ndef f(a, b): return S("RLock").x',
      status: 'failed',
      message: /type/,
    },
    {
      name: 'globals in a library frame',
      program:
        'import heapq\ndef f(a, b): return heapq.nsmallest(1, [0, 1], key=lambda x: 0) and list(map(globals, [])) or contextmanager',
      status: 'error',
      message: /NameError/,
    },
    {
      name: 'string formatting',
      program: 'import heapq\ndef f(a, b): return "{0.__globals__}".format(heapq.merge)',
      status: 'failed',
    },
    {
      name: 'attrgetter',
      program: 'import operator, heapq\ndef f(a, b): return operator.attrgetter("__globals__")(heapq.merge)',
      status: 'limit',
      message: /result/,
    },
    {
      name: 'code from bytes',
      program: 'def f(a, b): return type((lambda: 0).__code__)',
      status: 'failed',
      message: /type/,
    },
    {
      name: 'compile',
      program: 'def f(a, b): return eval(compile("42", "x", "eval"))',
      status: 'passed',
    },
    {
      name: 'the loader',
      program: 'def f(a, b): return __loader__.load_module("os")',
      status: 'error',
      message: /NoneType/,
    },
    {
      name: 'the step counter through nested modules',
      program: 'import re\ndef f(a, b):\n  re.enum.sys.monitoring.set_events(1, 0)\n  return a + b',
      status: 'error',
      message: /AttributeError/,
    },
  ],
  'access to the host': [
    ...[
      'js',
      'pyodide_js',
      'pyodide',
      'pyodide.code',
      '_pyodide_core',
      'ctypes',
      '_ctypes',
      'socket',
      'urllib.request',
      'subprocess',
      'threading',
      '_thread',
      'asyncio',
      'importlib',
      'inspect',
      'builtins.os',
      'posix',
      '_io',
      'sys.monitoring',
      'atexit',
      'weakref',
      'multiprocessing',
      'marshal',
      'pickle',
      'faulthandler',
      'webbrowser',
      'sqlite3',
      'emscripten',
    ].map(
      (name): Attack => ({
        name: `import ${name}`,
        program: `def f(a, b):\n  import ${name}\n  return 42`,
        status: 'error',
        message: /ImportError.*closed/,
      }),
    ),
    { name: 'open', program: 'def f(a, b): return open("/etc/passwd").read()', status: 'error', message: /NameError/ },
    {
      name: 'fetch by run_js',
      program: 'def f(a, b):\n  from pyodide.code import run_js\n  run_js("fetch(\'https://example.org\')")',
      status: 'error',
      message: /ImportError/,
    },
    {
      name: 'FileIO through the stream',
      program:
        'import io\ndef f(a, b):\n  for c in io.StringIO.__mro__[1].__subclasses__() + io.StringIO.__mro__[2].__subclasses__():\n    if "File" in c.__name__ or "Raw" in c.__name__: return c\n  return a + b',
      status: 'failed',
      message: /type/,
    },
    {
      name: 'relative import',
      program: 'def f(a, b):\n  from . import os\n  return 42',
      status: 'error',
      message: /ImportError/,
    },
    {
      name: '__import__ with a name that equals every string',
      program:
        'class N(str):\n  def __eq__(self, o): return True\n  __hash__ = str.__hash__\ndef f(a, b): return __import__(N("os"))',
      status: 'error',
      message: /TypeError/,
    },
    { name: 'input', program: 'def f(a, b): return int(input())', status: 'error', message: /EOFError/ },
    { name: 'breakpoint', program: 'def f(a, b): breakpoint()', status: 'error', message: /NameError/ },
  ],
  'state and time': [
    {
      name: 'input mutation',
      program: 'def f(a, b=[]):\n  b = [b] if not isinstance(b, list) else b\n  b.append(a)\n  return b[0] + b[1]',
      status: 'passed',
    },
    {
      name: 'the clock',
      program:
        'import time, datetime\ndef f(a, b): return 42 if time.time() == 0 and datetime.datetime.now().year == 1970 else time.time()',
      status: 'passed',
    },
    {
      name: 'a patched clock',
      program: 'import time\ntime.time = lambda: 10**9\ndef f(a, b): return int(time.time() / 10**9) + 41',
      status: 'passed',
    },
    {
      name: 'random without a seed',
      program:
        'import random\ndef f(a, b): return 42 if random.random() == random.Random(0).random() and random.Random().random() != random.Random().random() else 0',
      status: 'passed',
    },
    {
      name: 'a thread that runs after the test',
      program: 'import threading\nthreading.Thread(target=lambda: 0).start()\ndef f(a, b): return 42',
      status: 'error',
      message: /ImportError/,
    },
    {
      name: 'a signal handler that remains after the test',
      program: 'import signal\nsignal.signal(2, lambda *a: None)\ndef f(a, b): return 42',
      status: 'error',
      message: /ImportError/,
    },
    {
      name: 'an endless finalizer after the test',
      program: 'class D:\n  def __del__(self):\n    while True: pass\nx = D(); x.x = x\ndef f(a, b): return a + b',
      status: 'passed',
    },
    {
      name: 'an endless finalizer during the test',
      program: 'class D:\n  def __del__(self):\n    while True: pass\ndef f(a, b):\n  D()\n  return a + b',
      status: 'limit',
    },
    { name: 'an async function', program: 'async def f(a, b): return 42', status: 'failed', message: /coroutine/ },
  ],
  'handlers of limit errors': [
    {
      name: 'except BaseException',
      program: 'def f(a, b):\n  while True:\n    try:\n      while True: pass\n    except BaseException: pass',
      status: 'limit',
    },
    {
      name: 'a result after a caught limit error',
      program: 'def f(a, b):\n  try:\n    while True: pass\n  except BaseException: return 42',
      status: 'limit',
    },
    {
      name: 'return in a finally clause',
      program: 'def f(a, b):\n  try:\n    while True: pass\n  finally: return 42',
      status: 'limit',
    },
    {
      name: 'contextlib.suppress',
      program:
        'import contextlib\ndef f(a, b):\n  with contextlib.suppress(BaseException):\n    while True: pass\n  return 42',
      status: 'limit',
    },
    {
      name: 'nested handlers',
      program:
        'def g(n):\n  try:\n    while True: pass\n  except BaseException:\n    g(n + 1)\n  finally:\n    g(n + 1)\ndef f(a, b): g(0)',
      status: 'limit',
    },
    {
      name: '__exit__ that suppresses exceptions',
      program:
        'class C:\n  def __enter__(self): pass\n  def __exit__(self, *a): return True\ndef f(a, b):\n  while True:\n    with C():\n      while True: pass',
      status: 'limit',
    },
    {
      name: 'a custom limit error',
      program: 'def f(a, b):\n  class OutOfFuel(BaseException): pass\n  raise OutOfFuel',
      status: 'error',
      message: /OutOfFuel/,
    },
    {
      name: 'a limit error in C',
      program: 'class K:\n  def __hash__(self):\n    while True: pass\ndef f(a, b): return hasattr(K(), "x") and {K()}',
      status: 'failed',
    },
  ],
  'unusual text': [
    { name: 'null byte', program: 'def f(a, b):\n  return 42\0', status: 'error', message: /null bytes/ },
    {
      name: 'null byte in a name',
      program: 'def f(a, b): return getattr(f, "__code__\\0")',
      status: 'error',
      message: /AttributeError/,
    },
    { name: 'a lone surrogate in the source', program: 'def f(a, b): return "\ud800"', status: 'error' },
    {
      name: 'a lone surrogate as result',
      program: 'def f(a, b): return "\\ud800"',
      status: 'failed',
      message: /surrogates/,
    },
    { name: 'full-width names', program: 'def f(a, b): return (lambda: 0).＿＿globals＿＿', status: 'error' },
    {
      name: 'a name that changes under Unicode normalisation',
      program: 'import heapq\ndef f(a, b): return heapq.merge.__gl\u{1d52c}bals__',
      status: 'limit',
      message: /result/,
    },
    { name: 'right-to-left override', program: 'def f(a, b): return "\u202e24"', status: 'failed', message: /u202e/ },
    { name: 'digits of other scripts', program: 'def f(a, b): return int("٤٢")', status: 'passed' },
    { name: 'coding line', program: '# -*- coding: utf-7 -*-\ndef f(a, b): return a + b', status: 'passed' },
    { name: 'unknown coding line', program: '# coding: rot13\ndef f(a, b): return a + b', status: 'passed' },
    { name: 'a very long line', program: `def f(a, b): return sum([${'1, '.repeat(4000)}]) - 3958`, status: 'passed' },
    {
      name: 'a very long sum',
      program: `def f(a, b): return ${'1 + '.repeat(5000)}0`,
      status: 'error',
      message: /RecursionError/,
    },
    {
      name: 'a line above the source limit',
      program: `def f(a, b): return [${'1, '.repeat(60_000)}]`,
      status: 'limit',
      message: /source/,
    },
    {
      name: 'a number with 5,000 digits',
      program: `def f(a, b): return ${'9'.repeat(5000)}`,
      status: 'error',
      message: /SyntaxError|ValueError/,
    },
    { name: 'form feeds and carriage returns', program: 'def f(a, b):\r\n\f  return a + b\r\n', status: 'passed' },
  ],
};

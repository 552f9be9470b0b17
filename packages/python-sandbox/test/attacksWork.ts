import type { Attack } from './attacks.ts';
import { attack, inF } from './attacksInterpreter.ts';

/** Creates an attack by calls of slow C code that count few Python steps: the step count of the module must end it. */
const long = (name: string, before: string, ...body: string[]): Attack =>
  attack(name, 'limit', /fuel/, inF(before, ...body));
/** Creates an attack by an endless loop of calls, which increasing memory might end as well. */
const again = (name: string, before: string, setup: string, done: string): Attack =>
  long(name, before, setup, `while 1: ${done}`);
/** Code that nests pairs of `x` 28 levels deep. */
const PAIRS = 'for i in range(28): x = (x, x)';

/** Attacks by work that Python steps do not count, and by memory in small allocations. */
export const ATTACKS_WORK: Readonly<Record<string, readonly Attack[]>> = {
  'slow regular expressions': [
    long('a repeated character without a match', 'import re', 're.search("a*b", "a" * 300_000)'),
    long('a repeated set', 'import re', 're.search("[ab]*c", "ab" * 100_000)'),
    long('a repeated choice', 'import re', 're.search("(?:a|b)*c", "ab" * 30_000)'),
    long('a lazy repetition', 'import re', 're.search("(?s:.*?)b$", "a" * 100_000)'),
    long('a backreference', 'import re', 're.search(r"(.*)\\1\\1c", "a" * 20_000)'),
    long('lookbehind assertions', 'import re', 're.search("(?<=a)b|" * 500 + "c", "d" * 100_000)'),
    long('a case-insensitive search', 'import re', 're.search("(?i)é*ß", "é" * 200_000)'),
    long('a split by a zero-width pattern', 'import re', 're.split("(?=b)", "a" * 10_000_000)'),
    long('a pattern of 5,000 parts', 'import re', 're.compile("(a|b|[c-f]){1,9}" * 5_000)'),
  ],
  'slow number operations': [
    long('a decimal from an int', 'from decimal import Decimal', 'Decimal(1 << 8_000_000)'),
    again('a decimal from a string', 'from decimal import Decimal', 's = "1" * 300_000', 'Decimal(s)'),
    again('a decimal as a string', 'from decimal import Decimal', 'd = Decimal("1" * 300_000)', 'str(d)'),
    again('comparison of decimals', 'from decimal import Decimal', 'd = Decimal("1" * 3_000_000)', 'd.compare(d)'),
    again('the hash of an int', '', 'x = 1 << 30_000_000', 'hash(x)'),
    again('an int from a string', '', 's = "f" * 300_000', 'int(s, 16)'),
    again('a float from a string', '', 's = "1" * 1_000_000', 'float(s)'),
    again('the bit count of an int', '', 'x = 3 ** 300_000', 'x.bit_count()'),
    again('an int as bytes', '', 'x = 1 << 10_000_000', 'x.to_bytes(2_000_000, "big")'),
    again('comparison of equal ints', '', 'x = 1 << 10_000_000; y = x + 0 * x | 0', 'x == y'),
    again('addition of ints', '', 'x = 1 << 3_000_000', 'x + x'),
    again('random bits', 'import random', '', 'random.getrandbits(300_000)'),
    long('an exact sum', 'import math', 'math.fsum([10.0 ** (i % 600 - 300) for i in range(60_000)] * 20)'),
    again('a distance', 'import math', 'p = [1.5] * 30_000', 'math.dist(p, p)'),
  ],
  'slow text operations': [
    long('Unicode normalisation of combining marks', 'import unicodedata', 'unicodedata.normalize("NFC", "a" + "\\u0323\\u0307" * 100_000)'),
    long('Unicode normalisation with long expansions', 'import unicodedata', 'unicodedata.normalize("NFKD", "\\ufdfa" * 300_000)'),
    again('a test for Unicode normalisation', 'import unicodedata', 's = "\\u0307" * 300_000', 'unicodedata.is_normalized("NFC", s)'),
    again('sort of strings with equal starts', '', 'l = ["x" * 100_000 + str(i) for i in range(9)]', 'l.sort()'),
    again('maximum of strings with equal starts', '', 'l = ["x" * 100_000 + str(i) for i in range(9)]', 'max(l)'),
    again('comparison of equal strings', '', 'a = "x" * 1_000_000; b = a[:-1] + "x"', 'a == b'),
    again('removal of whitespace', '', 's = " " * 1_000_000', 's.strip()'),
    again('search in short strings', '', 's = "x" * 4_000', 's.find("y")'),
    again('search from the right', '', 's = "x" * 4_000', 's.rfind("xy")'),
    again('a test for an identifier', '', 's = "a" * 1_000_000', 's.isidentifier()'),
    again('comparison of the end of a string', '', 's = "x" * 1_000_000', 's.endswith(s)'),
    again('upper case', '', 's = "é" * 20_000', 's.upper()'),
    again('JSON with repeated keys', 'import json', `s = "[" + ",".join(['{"a":1}'] * 30_000) + "]"`, 'json.loads(s)'),
    long('JSON of data with shared elements', 'import json', 'x = [1]', 'for i in range(28): x = [x, x]', 'json.dumps(x)'),
    again('JSON with escaped characters', 'import json', 's = "\\u0001" * 10_000', 'json.dumps(s)'),
    again('a template', 'import string', 's = string.Template("x" * 1_000_000)', 's.safe_substitute()'),
    again('a date', 'import datetime', 's = "2020-01-01T00:00:00." + "1" * 100_000', '\n      try: datetime.datetime.fromisoformat(s)\n      except ValueError: pass'),
    again('SHA-256 digests', 'import hashlib', 's = b"x" * 1_000_000', 'hashlib.sha256(s)'),
    again('BLAKE2b digests', 'import hashlib', 's = b"x" * 1_000_000', 'hashlib.blake2b(s)'),
    again('evaluation of source', '', 's = "[" + "1," * 20_000 + "]"', 'eval(s)'),
    again('compilation of invalid source', '', 's = "(" * 90 + "1" * 4000', '\n      try: compile(s, "", "exec")\n      except SyntaxError: pass'),
  ],
  'slow container operations': [
    again('deletion of the first item of a list', '', 'l = [0] * 1_000_000', 'del l[0]'),
    again('insertion before the first item of a list', '', 'l = [0] * 1_000_000', 'l[0:0] = ()'),
    again('union of sets', '', 's = set(range(20_000))', 't = set(); t |= s'),
    again('copies of a dict', '', 'd = dict.fromkeys(range(10_000))', 'dict(d)'),
    again('iteration over a sparse dict', '', 'd = dict.fromkeys(range(50_000))\n  for i in range(49_999): del d[i]', 'next(iter(d))'),
    again('copies of memory views', '', 'm = memoryview(bytes(1_000_000))', 'm[::2].tobytes()'),
    again('byte swaps of an array', 'from array import array', 'a = array("d", [1.5]) * 20_000', 'a.byteswap()'),
    long('comparison of nested pairs', '', 'x = (1,)', PAIRS, 'y = (1,)', PAIRS.replaceAll('x', 'y'), 'return x == y'),
    long('hash of nested slices', '', 'x = slice(1, 2)', 'for i in range(28): x = slice(x, x)', 'return hash(x)'),
    long('repr of nested pairs', '', 'x = (1,)', PAIRS, 'return repr(x)'),
    long('isinstance with nested tuples', '', 'x = int', 'for i in range(18): x = (x, x, x)', 'isinstance("", x)'),
    again('a deep class hierarchy', '', 'c = object\n  for i in range(300): c = type("A", (c,), {})', 'hasattr(c, "z"); c.q = 1'),
    again('insertion into a sorted list', 'import bisect', 'l = list(range(20_000))', 'bisect.insort(l, -1)'),
    again('a join of strings', '', 'l = ["x" * 100] * 10_000', '"".join(l)'),
    again('code without branches', '', 'x = 1', `\n${'      x = x + 1 - 1\n'.repeat(500)}`),
  ],
  'memory in small allocations': [
    attack('a repeated deque', 'limit', /fuel|memory/, inF('import collections', 'return len(collections.deque([0]) * 40_000_000)')),
    attack('a deque repeated in place', 'limit', /fuel|memory/, inF('import collections', 'd = collections.deque([0])', 'd *= 40_000_000', 'return len(d)')),
    attack('a caught MemoryError', 'limit', /fuel|memory/, inF('import collections', 'try: collections.deque([0]) * 40_000_000', 'except MemoryError: return a + b')),
    attack('tuples of ranges', 'limit', /fuel|memory/, inF('', 'return list(zip(*[range(100)] * 60)) * 10_000_000')),
    attack('a counter of 10^7 elements', 'limit', /fuel|memory/, inF('import collections', 'return collections.Counter(range(10 ** 7))')),
    attack('iterators of itertools.tee', 'limit', /fuel|memory/, inF('import itertools', 't = itertools.tee(range(10 ** 8), 50)', 'return sum(t[0])')),
    attack('a product of ranges', 'limit', /fuel|memory/, inF('import itertools', 'return sum(1 for _ in itertools.product(range(10 ** 8), repeat=3))')),
  ],
}; // biome-ignore format: one attack a line

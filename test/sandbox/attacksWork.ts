import type { Attack } from './attacks.ts';
import { attack, inF } from './attacksInterpreter.ts';

/** A program whose every call is C code that takes long and counts few steps: the module's own count must end it. */
const long = (name: string, before: string, ...body: string[]): Attack =>
  attack(name, 'limit', /fuel/, inF(before, ...body));
/** The same, where more and more memory might end it, too. */
const again = (name: string, before: string, setup: string, done: string): Attack =>
  long(name, before, setup, `while 1: ${done}`);
/** `x`, as a pair of pairs of pairs. */
const PAIRS = 'for i in range(28): x = (x, x)';

/** Attacks by work that no step counts, and by memory in small pieces. */
export const ATTACKS_WORK: Readonly<Record<string, readonly Attack[]>> = {
  'work of regular expressions': [
    long('a repeated character that ends nowhere', 'import re', 're.search("a*b", "a" * 300_000)'),
    long('a repeated set', 'import re', 're.search("[ab]*c", "ab" * 100_000)'),
    long('a repeated choice', 'import re', 're.search("(?:a|b)*c", "ab" * 30_000)'),
    long('a lazy repetition', 'import re', 're.search("(?s:.*?)b$", "a" * 100_000)'),
    long('a reference back', 'import re', 're.search(r"(.*)\\1\\1c", "a" * 20_000)'),
    long('a look behind', 'import re', 're.search("(?<=a)b|" * 500 + "c", "d" * 100_000)'),
    long('ignoring case', 'import re', 're.search("(?i)é*ß", "é" * 200_000)'),
    long('splitting by nothing', 'import re', 're.split("(?=b)", "a" * 10_000_000)'),
    long('a pattern of very many parts', 'import re', 're.compile("(a|b|[c-f]){1,9}" * 5_000)'),
  ],
  'work of numbers': [
    long('a decimal of an int', 'from decimal import Decimal', 'Decimal(1 << 8_000_000)'),
    again('a decimal of text', 'from decimal import Decimal', 's = "1" * 300_000', 'Decimal(s)'),
    again('text of a decimal', 'from decimal import Decimal', 'd = Decimal("1" * 300_000)', 'str(d)'),
    again('the sum of decimals', 'from decimal import Decimal', 'd = Decimal("1" * 3_000_000)', 'd.compare(d)'),
    again('the hash of an int', '', 'x = 1 << 30_000_000', 'hash(x)'),
    again('an int of text', '', 's = "f" * 300_000', 'int(s, 16)'),
    again('a float of text', '', 's = "1" * 1_000_000', 'float(s)'),
    again('a float of an int', '', 'x = 3 ** 300_000', 'x.bit_count()'),
    again('bytes of an int', '', 'x = 1 << 10_000_000', 'x.to_bytes(2_000_000, "big")'),
    again('ints that are equal', '', 'x = 1 << 10_000_000; y = x + 0 * x | 0', 'x == y'),
    again('ints that are added', '', 'x = 1 << 3_000_000', 'x + x'),
    again('random bits', 'import random', '', 'random.getrandbits(300_000)'),
    long('an exact sum', 'import math', 'math.fsum([10.0 ** (i % 600 - 300) for i in range(60_000)] * 20)'),
    again('a distance', 'import math', 'p = [1.5] * 30_000', 'math.dist(p, p)'),
  ],
  'work of text': [
    long('a normal form of marks', 'import unicodedata', 'unicodedata.normalize("NFC", "a" + "\\u0323\\u0307" * 100_000)'),
    long('a long normal form', 'import unicodedata', 'unicodedata.normalize("NFKD", "\\ufdfa" * 300_000)'),
    again('whether it is normal', 'import unicodedata', 's = "\\u0307" * 300_000', 'unicodedata.is_normalized("NFC", s)'),
    again('sorting equal strings', '', 'l = ["x" * 100_000 + str(i) for i in range(9)]', 'l.sort()'),
    again('the largest of equal strings', '', 'l = ["x" * 100_000 + str(i) for i in range(9)]', 'max(l)'),
    again('comparing equal strings', '', 'a = "x" * 1_000_000; b = a[:-1] + "x"', 'a == b'),
    again('stripping', '', 's = " " * 1_000_000', 's.strip()'),
    again('looking in short strings', '', 's = "x" * 4_000', 's.find("y")'),
    again('looking from the right', '', 's = "x" * 4_000', 's.rfind("xy")'),
    again('names', '', 's = "a" * 1_000_000', 's.isidentifier()'),
    again('the end of a string', '', 's = "x" * 1_000_000', 's.endswith(s)'),
    again('upper case', '', 's = "é" * 20_000', 's.upper()'),
    again('repeated keys', 'import json', `s = "[" + ",".join(['{"a":1}'] * 30_000) + "]"`, 'json.loads(s)'),
    long('data that holds itself often', 'import json', 'x = [1]', 'for i in range(28): x = [x, x]', 'json.dumps(x)'),
    again('characters that are escaped', 'import json', 's = "\\u0001" * 10_000', 'json.dumps(s)'),
    again('a template', 'import string', 's = string.Template("x" * 1_000_000)', 's.safe_substitute()'),
    again('a date', 'import datetime', 's = "2020-01-01T00:00:00." + "1" * 100_000', '\n      try: datetime.datetime.fromisoformat(s)\n      except ValueError: pass'),
    again('digests', 'import hashlib', 's = b"x" * 1_000_000', 'hashlib.sha256(s)'),
    again('digests of another kind', 'import hashlib', 's = b"x" * 1_000_000', 'hashlib.blake2b(s)'),
    again('source', '', 's = "[" + "1," * 20_000 + "]"', 'eval(s)'),
    again('source that is wrong', '', 's = "(" * 90 + "1" * 4000', '\n      try: compile(s, "", "exec")\n      except SyntaxError: pass'),
  ],
  'work of containers': [
    again('the first of a list, again and again', '', 'l = [0] * 1_000_000', 'del l[0]'),
    again('before the first of a list', '', 'l = [0] * 1_000_000', 'l[0:0] = ()'),
    again('a set joined with another', '', 's = set(range(20_000))', 't = set(); t |= s'),
    again('a dict copied', '', 'd = dict.fromkeys(range(10_000))', 'dict(d)'),
    again('a dict that is full of holes', '', 'd = dict.fromkeys(range(50_000))\n  for i in range(49_999): del d[i]', 'next(iter(d))'),
    again('memory views', '', 'm = memoryview(bytes(1_000_000))', 'm[::2].tobytes()'),
    again('an array turned round', 'from array import array', 'a = array("d", [1.5]) * 20_000', 'a.byteswap()'),
    long('pairs compared', '', 'x = (1,)', PAIRS, 'y = (1,)', PAIRS.replaceAll('x', 'y'), 'return x == y'),
    long('slices of slices hashed', '', 'x = slice(1, 2)', 'for i in range(28): x = slice(x, x)', 'return hash(x)'),
    long('pairs shown', '', 'x = (1,)', PAIRS, 'return repr(x)'),
    long('types in tuples of tuples', '', 'x = int', 'for i in range(18): x = (x, x, x)', 'isinstance("", x)'),
    again('a class of many bases', '', 'c = object\n  for i in range(300): c = type("A", (c,), {})', 'hasattr(c, "z"); c.q = 1'),
    again('places in a sorted list', 'import bisect', 'l = list(range(20_000))', 'bisect.insort(l, -1)'),
    again('words joined', '', 'l = ["x" * 100] * 10_000', '"".join(l)'),
    again('straight code', '', 'x = 1', `\n${'      x = x + 1 - 1\n'.repeat(500)}`),
  ],
  'memory in small pieces': [
    attack('a deque repeated', 'limit', /fuel|memory/, inF('import collections', 'return len(collections.deque([0]) * 40_000_000)')),
    attack('a deque repeated in place', 'limit', /fuel|memory/, inF('import collections', 'd = collections.deque([0])', 'd *= 40_000_000', 'return len(d)')),
    attack('caught when there is no more', 'limit', /fuel|memory/, inF('import collections', 'try: collections.deque([0]) * 40_000_000', 'except MemoryError: return a + b')),
    attack('tuples of ranges', 'limit', /fuel|memory/, inF('', 'return list(zip(*[range(100)] * 60)) * 10_000_000')),
    attack('a counter of everything', 'limit', /fuel|memory/, inF('import collections', 'return collections.Counter(range(10 ** 7))')),
    attack('groups of iterators', 'limit', /fuel|memory/, inF('import itertools', 't = itertools.tee(range(10 ** 8), 50)', 'return sum(t[0])')),
    attack('a product of ranges', 'limit', /fuel|memory/, inF('import itertools', 'return sum(1 for _ in itertools.product(range(10 ** 8), repeat=3))')),
  ],
}; // biome-ignore format: one attack a line

import type { Attack } from './attacks.ts';
import { attack, inF, POKE } from './attacksInterpreter.ts';

const lines = (...all: string[]) => all.join('\n');
/** Creates an attack that repeats a call without an end and catches its exceptions. */
const again = (name: string, before: string, setup: string, call: string): Attack =>
  attack(name, 'limit', /fuel/, inF(before, setup, 'while 1:', `  try: ${call}`, '  except Exception: pass'));

/** Code that makes a bytearray of the whole memory: it overwrites the length and the start of the bytearray. */
const ALL_MEMORY = lines(
  POKE,
  'memory = bytearray(8)',
  'put(id(memory) + 8, 0x7fffffff)',
  'put(id(memory) + 20, 0)',
  'def word(at): return int.from_bytes(memory[at:at + 4], "little")',
  'def set_word(at, value): memory[at:at + 4] = value.to_bytes(4, "little")',
);
/**
 * Code that replaces the method that reads the output by a `__repr__` of the program. Offset 44 is `tp_repr`, 85 is a
 * byte of `tp_flags`, and 20 is the definition of a method.
 */
const REPLACED_READER = lines(
  ALL_MEMORY,
  'import io',
  'memory[id(io.StringIO) + 85] &= 0xfe',
  'io.StringIO.__repr__ = lambda self: loop()',
  'set_word(word(id(vars(io.StringIO)["getvalue"]) + 20) + 4, word(id(io.StringIO) + 44))',
  'def loop():',
  '  while True: pass',
);

/** Attacks on functions of JavaScript that read sizes which a program chooses. */
export const ATTACKS_SIZES: Readonly<Record<string, readonly Attack[]>> = {
  'sizes that JavaScript reads': [
    attack('a long name of a type', 'failed', /<A{10,100}>/, inF('', 'T = type("A" * 20_000_000, (), {})', 'return T()')),
    attack('many values of a type with a long name', 'failed', /<A{10,100}>/, inF('', 'T = type("A" * 20_000_000, (), {})', 'return [T()] * 40')),
    attack('a long name before a dot', 'failed', /<A{10,100}>/, inF('', 'T = type("A" * 3_000_000 + ".B", (), {})', 'return [T()] * 9_000')),
    attack('long names of exceptions', 'error', /A{10,100}/, inF('', 'raise type("A" * 20_000_000, (Exception,), {})')),
    again('a long name of a module', '', 's = "a" * 50_000_000', '__import__(s)'),
    again('a long name of a submodule', '', 's = "re." + "a" * 20_000_000', '__import__(s)'),
    again('a long keyword', '', 'k = {"a" * 20_000_000: 1}', '__import__("re", **k)'),
    again('random bytes', 'import random', '', 'random._urandom(30_000_000)'),
    again('few random bytes', 'import random', '', 'random._urandom(1_000)'),
    again('random seeds', 'import random', '', 'random.Random()'),
    attack('more random bytes than memory', 'limit', /memory|fuel/, inF('import random', 'return len(random._urandom(2_000_000_000))')),
    attack('a long message', 'error', /ValueError.*0x 0x/, inF('', 'raise ValueError("0x0000 " * 1_000_000)')),
    attack('a very long message', 'error', /ValueError.*0x 0x/, inF('', 'raise ValueError("0x0000 " * 4_000_000)')),
    attack('a message of one long number', 'error', /ValueError.*0x"/, inF('', 'raise ValueError("0x" + "0" * 9_000_000)')),
    attack('a long message of surrogates', 'error', /ValueError/, inF('', 'raise ValueError("\\ud800" * 9_000_000)')),
    attack('a stream with a long state', 'passed', undefined, inF('import sys', 'print(1)', 'sys.stdout.__setstate__(("x" * 5_000_000, "", 0, None))', 'return a + b')),
    attack('a stream with one long string', 'passed', undefined, inF('import sys', 'print("x" * 9_000_000)', 'return a + b')),
    attack('a long string', 'limit', /result/, inF('', 'return "x" * 30_000_000')),
    attack('long strings in a list', 'limit', /result/, inF('', 'return ["x" * 1_000_000] * 100')),
    attack('a long name in a syntax error', 'error', /SyntaxError/, inF('', 'eval("1 " + "a" * 100_000)')),
    attack('a string with a length above memory', 'limit', /result/, POKE, inF('', 's = "a" * 9 + str(a)', 'put(id(s) + 8, 0x7fffffff)', 'return s')),
    attack('a message with a length above memory', 'error', /E/, POKE, 'class E(Exception):', '  def __str__(self):', '    s = "a" * 9 + str(self.args)', '    put(id(s) + 8, 0x7fffffff); return s', inF('', 'raise E')),
    attack('a name at address 0', 'failed', /</, ALL_MEMORY, inF('', 'T = type("T", (), {})', 'set_word(id(T) + 12, 0)', 'return T()')),
    attack('a name at an address above memory', 'failed', /</, ALL_MEMORY, inF('', 'T = type("T", (), {})', 'set_word(id(T) + 12, 0xfffffff0)', 'return T()')),
    attack('a time with an extreme year', 'passed', undefined, inF('import time', 'for y in (-10 ** 9, 10 ** 9, 0, 50): time.mktime((y, 1, 1, 0, 0, 0, 0, 0, 0))', 'return a + b')),
    attack('an extreme time', 'passed', undefined, inF('import time', 'for t in (10 ** 14, -10 ** 14, 2 ** 62, -2 ** 62): time.gmtime(t)', 'return a + b')),
  ],
  'unbounded reads of output and messages': [
    attack('a replaced reader of output', 'limit', /fuel/, REPLACED_READER, inF('', 'print(1)', 'return a + b')),
    attack('a replaced reader before an error', 'limit', /fuel/, REPLACED_READER, inF('', 'print(1)', 'raise ValueError(1)')),
    attack('a replaced reader before an endless loop', 'limit', /fuel/, REPLACED_READER, inF('', 'print(1)', 'while True: pass')),
    attack('an endless __str__ of an exception', 'limit', /fuel/, 'class E(Exception):', '  def __str__(self):', '    while True: pass', inF('', 'raise E')),
    attack('an endless attribute of a SyntaxError', 'limit', /fuel/, 'class E(SyntaxError):', '  def __getattribute__(self, name):', '    while True: pass', 'E.__name__ = "SyntaxError"', inF('', 'raise E')),
  ],
}; // biome-ignore format: one attack a line

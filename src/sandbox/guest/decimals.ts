import { square } from '../../numbers/powers.ts';
import { type Hook, replaceAttribute, replaceFunction } from './hooks.ts';
import { cString, type Interpreter } from './interpreter.ts';
import { DESCRIPTOR, METHOD_DEFINITION, NUMBER, TYPE } from './layout.ts';
import type { Meter } from './meter.ts';

/** Digits that cost nothing: those of the default context. */
const DIGITS = 28;
/** Steps for a product, a quotient or a root of `DIGITS`, and for a function that is a series; both grow with the square of the digits. */
const PRODUCT = 0.5;
const SERIES = 100;
/** A step for an int of so many digits, squared. */
const WHOLE = 4096;
const SERIES_METHODS = ['exp', 'ln', 'log10'];
const OUT_OF_RANGE = 2 ** 31;

/**
 * Charges arithmetic of `decimal` by the highest precision that a test has asked for, wherever it did. Contexts get their precision by
 * `__init__` and by the attribute alone.
 */
export function hookDecimals(python: Interpreter, meter: Meter, types: ReadonlyMap<string, number>): void {
  const word = (at: number) => python.HEAPU32[at >>> 2];
  const [context, decimal] = [types.get('Context') ?? 0, types.get('Decimal') ?? 0];
  const member = (type: number, name: string) => {
    const dict = python._PyType_GetDict(type);
    const found = python._PyDict_GetItemString(dict, cString(python, name));
    python._Py_DecRef(dict);
    if (!found) throw new Error(`decimal has no ${name}`);
    python._Py_IncRef(found);
    return found;
  };
  const note = (value: number) => {
    if (python.HEAPU32[(value + 4) >>> 2] !== python._PyLong_Type) return;
    const digits = python._PyLong_AsLong(value);
    if (python._PyErr_Occurred()) python._PyErr_Clear();
    meter.precision = Math.max(meter.precision, digits < 0 ? OUT_OF_RANGE : digits);
  };
  const cost = (steps: number) => steps * square(Math.max(1, meter.precision / DIGITS));
  const paying =
    (steps: number) =>
    (call: Hook) =>
    (...args: number[]) =>
      meter.pay(cost(steps)) ? call(...args) : 0;

  const numbers = word(decimal + TYPE.asNumber);
  const prec = member(context, 'prec');
  const ask = python.wasmTable.get(word(word(prec + 4) + TYPE.getDescriptor)) as Hook;
  const put = python.wasmTable.get(word(word(prec + 4) + TYPE.setDescriptor)) as Hook;
  const read: Hook = (self) => ask(prec, self, context);
  replaceAttribute(python, context, 'prec', read, (self, value) => {
    if (value) note(value);
    return put(prec, self, value);
  });
  // By its slot when a context is made, by the method when it is made anew.
  const init = member(context, '__init__');
  for (const at of [context + TYPE.init, init + DESCRIPTOR.wrapped]) {
    replaceFunction(python, at, 'iiii', (call) => (self, args, keywords) => {
      const done = call(self, args, keywords);
      const value = done === 0 ? read(self) : 0;
      if (value) {
        note(value);
        python._Py_DecRef(value);
      }
      return done;
    });
  }
  for (const owner of [decimal, context]) {
    for (const name of SERIES_METHODS) replaceMethod(owner, name, SERIES);
    replaceMethod(owner, 'sqrt', PRODUCT);
    replaceMethod(owner, 'fma', PRODUCT);
  }
  for (const name of ['multiply', 'divide', 'divide_int', 'divmod', 'remainder']) replaceMethod(context, name, PRODUCT);
  replaceMethod(context, 'power', SERIES);

  // An int of all the digits that the exponent stands for.
  const adjusted = member(decimal, 'adjusted');
  const whole =
    (call: Hook) =>
    (...args: number[]) => {
      const digits = meter.running ? python._PyObject_CallOneArg(adjusted, args[0]) : 0;
      const size = digits ? python._PyLong_AsLong(digits) : 0;
      if (digits) python._Py_DecRef(digits);
      else if (python._PyErr_Occurred()) python._PyErr_Clear();
      return meter.pay(size > 0 ? square(size) / WHOLE : 0) ? call(...args) : 0;
    };
  for (const name of ['__floor__', '__ceil__', '__trunc__', '__round__', 'as_integer_ratio']) {
    const definition = word(member(decimal, name) + DESCRIPTOR.definition);
    const fast = (word(definition + METHOD_DEFINITION.flags) & 0x80) !== 0;
    replaceFunction(python, definition + METHOD_DEFINITION.function, fast ? 'iiii' : 'iii', whole);
  }
  replaceSlot(NUMBER.int, 'ii', whole, ['__int__']);

  function replaceSlot(slot: number, signature: string, wrap: (call: Hook) => Hook, names: readonly string[]): void {
    const before = word(numbers + slot);
    replaceFunction(python, numbers + slot, signature, wrap);
    for (const name of names) {
      const wrapper = member(decimal, name);
      if (word(wrapper + DESCRIPTOR.wrapped) !== before) throw new Error(`decimal's ${name} is not where it was`);
      python.HEAPU32[(wrapper + DESCRIPTOR.wrapped) >>> 2] = word(numbers + slot);
    }
  }

  function replaceMethod(type: number, name: string, steps: number): void {
    const definition = word(member(type, name) + DESCRIPTOR.definition);
    const flags = word(definition + METHOD_DEFINITION.flags);
    const signature = `iii${flags & 0x80 ? 'i' : ''}${flags & 0x02 ? 'i' : ''}${flags & 0x200 ? 'i' : ''}`;
    replaceFunction(python, definition + METHOD_DEFINITION.function, signature, paying(steps));
  }
  for (const [slot, name, steps] of [
    [NUMBER.multiply, '__mul__', PRODUCT],
    [NUMBER.trueDivide, '__truediv__', PRODUCT],
    [NUMBER.floorDivide, '__floordiv__', PRODUCT],
    [NUMBER.remainder, '__mod__', PRODUCT],
    [NUMBER.divmod, '__divmod__', PRODUCT],
    [NUMBER.power, '__pow__', SERIES],
  ] as const) {
    const signature = slot === NUMBER.power ? 'iiii' : 'iii';
    replaceSlot(slot, signature, paying(steps), [name, `__r${name.slice(2)}`]);
  }
}

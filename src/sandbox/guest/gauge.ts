import { assemble, type Body, F64, I32, op, type Signature } from './assembler.ts';
import type { Hook } from './hooks.ts';
import type { Interpreter } from './interpreter.ts';
import { ITERATOR_INDEX, LONG } from './layout.ts';

/** Iterators told apart between two turns; more are charged from their first element. */
const ASKED = 16;
/** Elements of a list or a tuple that are never charged: unpacking into names asks for them, but only until it is specialized. */
const UNPACKED = 16;
/** Tags of ints of one digit, or of none, are below this. */
const LONGER = 16;

const ONE: Signature = [[I32], [I32]];
const TWO: Signature = [[I32, I32], [I32]];
const THREE: Signature = [[I32, I32, I32], [I32]];
const [RUNNING, FUEL] = [0, 1];
/** Imported functions, and behind them the first one that a module has for itself. */
const [SPENT, SLOW, ORIGINAL, FIRST] = [0, 1, 2, 3];

/** Comparisons of ints that a piece of straight code may well make between two turns. */
const COMPARED = 256;
/** Where a list, tuple, string, dict, set or deque holds how many elements it has. */
const LENGTH = 8;

/** What a function does that goes over elements. */
export interface Scan {
  readonly shift: number;
  /** It goes over them as often as they can be halved. */
  readonly sorts?: boolean;
  /** It goes over those of its second argument, too, one by one. */
  readonly compares?: boolean;
  /** It does so only with an argument, whose number it gets third. */
  readonly ifAsked?: boolean;
  /** It does so only for objects of this very type. */
  readonly of?: number;
  /** Where its objects hold their number of elements, if not where most do. */
  readonly at?: number;
  /** What it gives back when fuel has ended. */
  readonly refusal?: number;
}

/** What a function is put in place of: the one at `index` of the table, called ORIGINAL. */
interface Replaced {
  readonly index?: number;
  readonly signature?: Signature;
  readonly slow?: Hook;
}

/**
 * The meter's inmost part, in WebAssembly: what is done at each turn, call and element. What it counts lies outside of Python's memory.
 * Where fuel ends, and for ints of more than one digit, it calls JavaScript.
 */
export class Gauge {
  /** Not zero while a program runs; everything passes free of charge otherwise. */
  readonly running = new WebAssembly.Global({ value: 'i32', mutable: true }, 0);
  /** Steps that are left; below zero once a limit is hit. */
  readonly fuel = new WebAssembly.Global({ value: 'f64', mutable: true }, 0);
  /** How many iterators have been asked since Python code last made a turn or a call, and which. */
  private readonly asked: number;
  /** How many ints C code has compared since then. */
  private readonly compared: number;

  /** @param spent is called when a charge finds no fuel: it sets Python's exception and gives back null */
  constructor(
    private readonly python: Interpreter,
    private readonly spent: () => number,
  ) {
    this.asked = python._malloc(4 * (ASKED + 2));
    this.compared = this.asked + 4 * (ASKED + 1);
    this.forgetAll();
  }

  forgetAll(): void {
    this.python.setWord(this.asked, 0);
    this.python.setWord(this.compared, 0);
    this.mark();
  }

  /** Marks what the functions that are built here write: nothing else does so. */
  mark(): void {
    this.python.mark(this.asked, 4 * (ASKED + 2));
  }

  /** The function behind turns and calls: a step each. */
  step(): Hook {
    const none = [...op.constant(this.python.__Py_NoneStruct), ...op.return];
    return this.build([
      {
        name: 'hook',
        signature: THREE,
        code: [
          ...[...op.read(RUNNING), ...op.isZero, ...op.if(), ...none, ...op.end],
          ...[...op.constant(this.asked), ...op.constant(0), ...op.store()],
          ...[...op.constant(this.compared), ...op.constant(0), ...op.store()],
          ...this.take(1),
          ...[...this.isLeft, ...op.if(), ...none, ...op.end, ...op.call(SPENT)],
        ],
      },
    ]);
  }

  /** A function that takes `steps` and raises nothing. */
  takes(steps: number): Hook {
    const code = [...op.read(RUNNING), ...op.if(), ...this.take(steps), ...op.end];
    return this.build([
      { name: 'hook', signature: THREE, code: [...code, ...op.constant(this.python.__Py_NoneStruct)] },
    ]);
  }

  /** In place of the table's function at `index`, an iterator's `__next__`. @param isSequence whether it knows its place in a list */
  next(index: number, isSequence: boolean): Hook {
    const isFirst = isSequence
      ? [...op.get(0), ...op.load(ITERATOR_INDEX), ...op.constant(UNPACKED), ...op.atLeast, ...op.and]
      : [];
    const ask = [...op.get(0), ...op.call(FIRST), ...op.isZero, ...op.if(), ...op.constant(0), ...op.return, ...op.end];
    return this.build(
      [
        { signature: ONE, locals: 3, code: this.ask() },
        {
          name: 'hook',
          signature: ONE,
          code: [
            ...[...op.read(RUNNING), ...isFirst, ...op.if(), ...ask, ...op.end],
            ...[...op.get(0), ...op.call(ORIGINAL)],
          ],
        },
      ],
      { index, signature: ONE },
    );
  }

  /** In place of `__iter__`: a fresh iterator has not been asked, whatever stood at its address before. */
  iter(index: number): Hook {
    const [fresh, at, end] = [1, 2, 3];
    return this.build(
      [
        {
          name: 'hook',
          signature: ONE,
          locals: 3,
          code: [
            ...[...op.get(0), ...op.call(ORIGINAL), ...op.set(fresh)],
            ...this.search(fresh, at, end, [
              // The last one takes its place.
              ...[...op.get(at), ...op.get(end), ...op.load(), ...op.store()],
              ...[...op.constant(this.asked), ...op.constant(this.asked), ...op.load()],
              ...[...op.constant(1), ...op.subtract, ...op.store()],
              ...[...op.get(fresh), ...op.return],
            ]),
            ...op.get(fresh),
          ],
        },
      ],
      { index, signature: ONE },
    );
  }

  /** In place of an operation on ints: `slow` gets those of more than one digit, and what is no int by the look of it. */
  binary(index: number, slow: Hook): Hook {
    const tag = (operand: number) => [...op.get(operand), ...op.load(LONG.tag)];
    const isLong = [...tag(0), ...tag(1), ...op.or, ...op.constant(LONGER), ...op.atLeast];
    const operands = [...op.get(0), ...op.get(1)];
    return this.build(
      [
        {
          name: 'hook',
          signature: TWO,
          code: [
            ...[...isLong, ...op.read(RUNNING), ...op.and, ...op.if(I32), ...operands, ...op.call(SLOW)],
            ...[...op.else, ...operands, ...op.call(ORIGINAL), ...op.end],
          ],
        },
      ],
      { index, signature: TWO, slow },
    );
  }

  /**
   * In place of a function that goes over all elements of the object that it gets first, or moves them: a step for every 2^`shift` of them.
   * @param parameters how many it has
   */
  scan(index: number, parameters: number, how: Scan): Hook {
    const { shift, sorts, compares, ifAsked, of, at = LENGTH, refusal = 0 } = how;
    const signature: Signature = [Array(parameters).fill(I32), [I32]];
    const size = parameters;
    const other = [...op.get(1), ...op.load(at)];
    const length = [...op.get(0), ...op.load(at), ...op.set(size)];
    // Two of the same kind are compared as far as the shorter one goes; with another kind there is nothing to compare.
    const sameKind = [...op.get(0), ...op.load(4), ...op.get(1), ...op.load(4), ...op.equal];
    const shorter = [...op.get(size), ...other, ...op.get(size), ...other, ...op.less, ...op.select];
    const compared = [
      ...sameKind,
      ...op.if(I32),
      ...shorter,
      ...op.else,
      ...op.constant(0),
      ...op.end,
      ...op.set(size),
    ];
    const rounds = [...op.constant(32), ...op.get(size), ...op.leadingZeros, ...op.subtract];
    const steps = [
      ...[...op.get(size), ...(sorts ? [...rounds, ...op.multiply] : []), ...op.constant(shift), ...op.shiftRight],
      ...op.set(size),
    ];
    const isOf = [...op.get(0), ...op.load(4), ...op.constant(of ?? 0), ...op.equal, ...op.and];
    // Small ones may hold each other, and be compared more often than any loop could: each costs a part of a step.
    const part = compares ? this.take(1 / 16) : [];
    const charge = [...op.read(FUEL), ...op.get(size), ...op.toFloat, ...op.floatSubtract, ...op.write(FUEL)];
    const stop = [...op.call(SPENT), ...op.drop, ...op.constant(refusal), ...op.return];
    const pass = signature[0].flatMap((_, i) => op.get(i));
    return this.build(
      [
        {
          name: 'hook',
          signature,
          locals: 1,
          code: [
            ...[
              ...op.read(RUNNING),
              ...(ifAsked ? [...op.get(2), ...op.and] : []),
              ...(of ? isOf : []),
              ...op.if(),
              ...length,
              ...(compares ? compared : []),
              ...steps,
            ],
            ...[...part, ...op.get(size), ...op.if(), ...charge, ...op.end],
            ...[...this.isLeft, ...op.isZero, ...op.if(), ...stop, ...op.end, ...op.end],
            ...[...pass, ...op.call(ORIGINAL)],
          ],
        },
      ],
      { index, signature },
    );
  }

  /**
   * In place of the comparison of ints. A program's own comparisons are paid by its turns and calls, and CPython does not ask for them once
   * they are specialized; hundreds between two turns come from C code: a table where all keys collide, a heap.
   */
  compare(index: number): Hook {
    const count = [...op.constant(this.compared), ...op.load()];
    const isMany = [...count, ...op.constant(COMPARED), ...op.atLeast];
    const add = [...op.constant(this.compared), ...count, ...op.constant(1), ...op.add, ...op.store()];
    const stop = [...this.isLeft, ...op.isZero, ...op.if(), ...op.call(SPENT), ...op.return, ...op.end];
    return this.build(
      [
        {
          name: 'hook',
          signature: THREE,
          code: [
            ...[...op.read(RUNNING), ...op.if(), ...isMany, ...op.if(), ...this.take(1 / 16), ...stop],
            ...[...op.else, ...add, ...op.end, ...op.end],
            ...[...op.get(0), ...op.get(1), ...op.get(2), ...op.call(ORIGINAL)],
          ],
        },
      ],
      { index, signature: THREE },
    );
  }

  private take(steps: number): number[] {
    return [...op.read(FUEL), ...op.float(steps), ...op.floatSubtract, ...op.write(FUEL)];
  }

  private readonly isLeft = [...op.read(FUEL), ...op.float(0), ...op.floatAtLeast];

  /** Looks for an iterator among those asked; `found` runs with its place in `at`. After it, `end` is behind the last one. */
  private search(which: number, at: number, end: number, found: readonly number[]): number[] {
    const first = [...op.constant(this.asked + 4), ...op.set(at)];
    const last = [
      ...[...op.constant(this.asked), ...op.constant(this.asked), ...op.load()],
      ...[...op.constant(2), ...op.shiftLeft, ...op.add, ...op.set(end)],
    ];
    // `end` is the last one's own place: places begin a word after the count.
    const isOver = [...op.get(at), ...op.get(end), ...op.greater, ...op.branchIf(1)];
    const isIt = [...op.get(at), ...op.load(), ...op.get(which), ...op.equal];
    const go = [...op.get(at), ...op.constant(4), ...op.add, ...op.set(at), ...op.branch(0)];
    return [
      ...[...first, ...last, ...op.block, ...op.loop, ...isOver],
      ...[...isIt, ...op.if(), ...found, ...op.end, ...go, ...op.end, ...op.end],
    ];
  }

  /** Charges an iterator that is asked twice between two turns, and notes the others. Gives back 0 when fuel has ended. */
  private ask(): number[] {
    const [at, end] = [1, 2];
    const yes = [...op.constant(1), ...op.return];
    const charge = [...this.take(1), ...this.isLeft, ...op.if(), ...yes, ...op.end, ...op.call(SPENT), ...op.return];
    const count = [...op.constant(this.asked), ...op.load()];
    return [
      ...this.search(0, at, end, charge),
      ...[...count, ...op.constant(ASKED), ...op.atLeast, ...op.if(), ...charge, ...op.end],
      ...[...op.get(at), ...op.get(0), ...op.store()],
      ...[...op.constant(this.asked), ...count, ...op.constant(1), ...op.add, ...op.store(), ...op.constant(1)],
    ];
  }

  /** A function of its own module. Modules do not import the table: an instance would make itself a copy of it, of 14,000 entries. */
  private build(bodies: readonly Body[], { index, signature = ONE, slow = () => 0 }: Replaced = {}): Hook {
    const code = assemble(
      [
        { name: 'spent', function: [[], [I32]] },
        { name: 'slow', function: TWO },
        { name: 'original', function: signature },
        { name: 'running', global: I32 },
        { name: 'fuel', global: F64 },
        { name: 'memory', from: 'memory' },
      ],
      bodies,
    );
    const { python, spent, running, fuel } = this;
    const original = index === undefined ? () => 0 : (python.wasmTable.get(index) as Hook);
    const host = { spent, slow, original, running, fuel, memory: python.memory };
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { host });
    return exports.hook as unknown as Hook;
  }
}

import { type Reader, signed, unsigned, Writer } from './binary.ts';
import { readInstruction } from './instructions.ts';
import {
  readImports,
  readLocals,
  readNumbers,
  readTypes,
  rewriteBodies,
  rewriteSections,
  SECTION,
  sectionReader,
} from './sections.ts';

const [BLOCK, IF, END, RETURN, CALL, CALL_INDIRECT] = [0x02, 0x04, 0x0b, 0x0f, 0x10, 0x11];
const EMPTY = 0x40;
/** Bytes of the machine's stack for a local variable, and for the rest of a frame: return address, operands, and small frames that are not counted. */
const [LOCAL, FRAME] = [8, 128];
/** Bytes of frames of JavaScript, for a function that calls an import. */
const HOST = 512;
/** Functions of fewer local variables are not counted where other functions of the same recursion are. */
const LARGE = 4;

export interface StackOptions {
  /** Number of the global with the stack pointer. */
  readonly pointer: number;
  /** The module traps when its stack pointer is below this address. */
  readonly lowest: number;
}

/**
 * Rewrites a module so that its stack in memory grows with the machine's stack: each function that can be a part of a recursion takes an estimate of its
 * frame off the stack pointer. CPython measures its recursion by that pointer, so its checks find deep recursion before the machine's stack ends.
 * A function that does not check traps at the same depth on every machine.
 *
 * Every recursion goes through a function that calls by the table or through a circle of direct calls: these functions are counted, and all others of a
 * recursion that have many local variables.
 * @throws {Error} for a module whose functions have several results
 */
export function reserveStack(source: Uint8Array, options: StackOptions): Uint8Array<ArrayBuffer> {
  const reader = sectionReader(source);
  const types = readTypes(reader(SECTION.type));
  const functions = readNumbers(reader(SECTION.function)).map((type) => types[type]);
  const imported = readImports(reader(SECTION.import)).functions.length;
  const table = readTable(reader(SECTION.element)).map((index) => index - imported);
  return rewriteSections(source, {
    [SECTION.code]: (section) => {
      const bodies: Body[] = [];
      rewriteBodies(section, (body, end) => {
        bodies.push(readBody(body, end, { imported, parameters: functions[bodies.length].operands }));
        return body.bytes.subarray(0, 0);
      });
      const isCounted = recursive(bodies, table);
      return rewriteBodies(section, (body, end, i) => {
        const { start, code, returns, locals, callsHost } = bodies[i];
        if (!isCounted[i]) return body.bytes.subarray(start, end);
        const { results, result = EMPTY } = functions[i];
        if (results > 1) throw new Error('a function has several results');
        const frame = 16 * Math.ceil((FRAME + LOCAL * locals + (callsHost ? HOST : 0)) / 16);
        const out = new Writer(end - start + 64);
        const leave = movePointer(options.pointer, frame);
        out.put(body.bytes.subarray(start, code));
        out.put([...movePointer(options.pointer, -frame), ...trapBelow(options), BLOCK, result]);
        let copied = code;
        for (const at of returns) {
          out.put(body.bytes.subarray(copied, at));
          out.put(leave);
          copied = at;
        }
        // The function's own end closes the block.
        out.put(body.bytes.subarray(copied, end));
        out.put([...leave, END]);
        return out.written;
      });
    },
  });
}

interface Body {
  readonly start: number;
  readonly code: number;
  /** Its local variables, with its parameters. */
  readonly locals: number;
  /** Positions of its return instructions. */
  readonly returns: readonly number[];
  /** Functions of the module that it calls directly. */
  readonly calls: readonly number[];
  readonly isIndirect: boolean;
  readonly callsHost: boolean;
}

function readBody(
  reader: Reader,
  end: number,
  { imported, parameters }: { readonly imported: number; readonly parameters: number },
): Body {
  const start = reader.at;
  const { count } = readLocals(reader);
  const code = reader.at;
  const returns: number[] = [];
  const calls = new Set<number>();
  let [isIndirect, callsHost] = [false, false];
  while (reader.at < end) {
    const { at } = reader;
    const instruction = reader.bytes[at];
    if (instruction === RETURN) returns.push(at);
    if (instruction === CALL) {
      reader.skip(1);
      const called = reader.unsigned() - imported;
      if (called >= 0) calls.add(called);
      else callsHost = true;
    } else readInstruction(reader);
    isIndirect ||= instruction === CALL_INDIRECT;
  }
  return { start, code, locals: parameters + count, returns, calls: [...calls], isIndirect, callsHost };
}

/** Functions that the module puts into its table. */
function readTable(reader: Reader): number[] {
  const functions: number[] = [];
  for (let segments = reader.unsigned(); segments > 0; segments--) {
    if (reader.unsigned() !== 0) throw new Error('the table is filled in another way');
    while (reader.bytes[reader.at] !== END) readInstruction(reader);
    reader.skip(1);
    for (let count = reader.unsigned(); count > 0; count--) functions.push(reader.unsigned());
  }
  return functions;
}

/** For each function, true if its frame is counted: every recursion goes through a function that calls by the table or that is in a circle of direct calls. */
function recursive(bodies: readonly Body[], table: readonly number[]): boolean[] {
  const direct = inCircles(bodies.map(({ calls }) => calls));
  // One more node for the table: who calls by it may call each of its functions.
  const node = bodies.length;
  const calls = bodies.map((body) => (body.isIndirect ? [...body.calls, node] : body.calls));
  const all = inCircles([...calls, table.filter((index) => index >= 0)]);
  return bodies.map(({ isIndirect, locals }, i) => all[i] && (isIndirect || direct[i] || locals >= LARGE));
}

/** Adds to the stack pointer. */
function movePointer(pointer: number, by: number): number[] {
  return [0x23, ...unsigned(pointer), 0x41, ...signed(by), 0x6a, 0x24, ...unsigned(pointer)];
}

function trapBelow({ pointer, lowest }: StackOptions): number[] {
  return [0x23, ...unsigned(pointer), 0x41, ...signed(lowest), 0x49, IF, EMPTY, 0x00, END];
}

/** For each node of a graph, true if a path leads from it back to it (Tarjan's strongly connected components, without recursion). */
export function inCircles(edges: readonly (readonly number[])[]): boolean[] {
  const order = new Int32Array(edges.length).fill(-1);
  const lowest = new Int32Array(edges.length);
  const isOpen = new Uint8Array(edges.length);
  const isInCircle = edges.map((next, node) => next.includes(node));
  const component: number[] = [];
  let visited = 0;
  for (let root = 0; root < edges.length; root++) {
    if (order[root] >= 0) continue;
    const path: [node: number, edge: number][] = [[root, 0]];
    while (path.length > 0) {
      const top = path[path.length - 1];
      const [node, edge] = top;
      if (edge === 0) {
        order[node] = lowest[node] = visited++;
        isOpen[node] = 1;
        component.push(node);
      }
      if (edge < edges[node].length) {
        top[1]++;
        const next = edges[node][edge];
        if (order[next] < 0) path.push([next, 0]);
        else if (isOpen[next]) lowest[node] = Math.min(lowest[node], order[next]);
        continue;
      }
      path.pop();
      const parent = path.at(-1)?.[0];
      if (parent !== undefined) lowest[parent] = Math.min(lowest[parent], lowest[node]);
      if (lowest[node] !== order[node]) continue;
      const members = component.splice(component.lastIndexOf(node));
      for (const member of members) {
        isOpen[member] = 0;
        isInCircle[member] ||= members.length > 1;
      }
    }
  }
  return isInCircle;
}

import { EMPTY, op, unsigned } from '../wasm.ts';
import { Reader } from './binary.ts';
import { DELEGATE, opensBlock, readInstruction } from './instructions.ts';
import {
  type Body,
  readBodies,
  readFunctions,
  rewriteBodies,
  rewriteSections,
  SECTION,
  sectionReader,
} from './sections.ts';

const [END, RETURN, CALL, CALL_INDIRECT] = [0x0b, 0x0f, 0x10, 0x11];
/** Machine stack of a local variable, and of a frame's return address, operands and uncounted small frames [bytes]. */
const [LOCAL, FRAME] = [8, 128];
/** Machine stack of the JavaScript frames below a function that calls an import [bytes]. */
const HOST = 512;
/** Minimum number of local variables of a function that is counted only because it is part of a recursion. */
const LARGE = 4;

export interface StackOptions {
  /** Index of the global with the stack pointer. */
  readonly pointer: number;
  /** Address below which the module traps. */
  readonly lowest: number;
}

/**
 * Rewrites a module so that its stack in memory grows with the machine stack. Each counted function subtracts an
 * estimate of its frame from the stack pointer. CPython measures its recursion by this pointer, so its checks detect
 * deep recursion before the machine stack overflows. A function without such a check traps at the same depth on all
 * machines.
 *
 * Each recursion contains a function that calls through the table or a cycle of direct calls. These functions are
 * counted, and also other functions of a recursion that have many local variables.
 * @throws {Error} for a function with several results
 */
export function reserveStack(source: Uint8Array, options: StackOptions): Uint8Array<ArrayBuffer> {
  const functions = readFunctions(source);
  const { imported } = functions;
  const table = readTable(sectionReader(source)(SECTION.element)).map((index) => index - imported);
  return rewriteSections(source, {
    [SECTION.code]: (section) => {
      const bodies = readBodies(section, functions);
      const flows = bodies.map((body) => readFlow(body, imported));
      const isCounted = recursive(flows, table);
      return rewriteBodies(bodies, (_, i) => {
        if (!isCounted[i]) return { pieces: [] };
        const { type, code, end, locals, callsHost, returns, delegates } = flows[i];
        const { results, result = EMPTY } = type;
        if (results > 1) throw new Error('a function has several results');
        const frame = 16 * Math.ceil((FRAME + LOCAL * locals + (callsHost ? HOST : 0)) / 16);
        const enter = [...movePointer(options.pointer, -frame), ...trapBelow(options), ...op.block(result)];
        const leave = movePointer(options.pointer, frame);
        // The `end` instruction of the function closes the inserted block.
        const atEnd = { at: end, code: [...leave, ...op.end] };
        const pieces = [...returns.map((at) => ({ at, code: leave })), ...delegates].sort((a, b) => a.at - b.at);
        return { pieces: [{ at: code, code: enter }, ...pieces, atEnd] };
      });
    },
  });
}

interface Flow extends Body {
  /** Positions of the return instructions. */
  readonly returns: readonly number[];
  /**
   * `delegate` instructions to the function itself, rewritten for one more enclosing block. JavaScriptCore rejects a
   * module in which the target is a block instead.
   */
  readonly delegates: readonly { readonly at: number; readonly end: number; readonly code: readonly number[] }[];
  /** Indices of the functions that it calls directly. */
  readonly calls: readonly number[];
  readonly isIndirect: boolean;
  readonly callsHost: boolean;
}

function readFlow(body: Body, imported: number): Flow {
  const { bytes, code, end } = body;
  const reader = new Reader(bytes, code);
  const returns: number[] = [];
  const calls = new Set<number>();
  const delegates: { at: number; end: number; code: number[] }[] = [];
  let [isIndirect, callsHost, depth] = [false, false, 0];
  while (reader.at < end) {
    const { at } = reader;
    const instruction = bytes[at];
    readInstruction(reader);
    if (opensBlock(instruction)) depth++;
    if (instruction === END || instruction === DELEGATE) depth--;
    if (instruction === DELEGATE && new Reader(bytes, at + 1).unsigned() === depth) {
      delegates.push({ at, end: reader.at, code: [DELEGATE, ...unsigned(depth + 1)] });
    }
    if (instruction === RETURN) returns.push(at);
    if (instruction === CALL) {
      const called = new Reader(bytes, at + 1).unsigned() - imported;
      if (called >= 0) calls.add(called);
      else callsHost = true;
    }
    isIndirect ||= instruction === CALL_INDIRECT;
  }
  return { ...body, returns, delegates, calls: [...calls], isIndirect, callsHost };
}

/** Reads the indices of the functions in the module's table. */
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

/** Returns for each function true if its frame is counted (reserveStack). */
function recursive(bodies: readonly Flow[], table: readonly number[]): boolean[] {
  const direct = inCircles(bodies.map(({ calls }) => calls));
  // An additional node represents the table: a function that calls through the table can call any function in it.
  const node = bodies.length;
  const calls = bodies.map((body) => (body.isIndirect ? [...body.calls, node] : body.calls));
  const all = inCircles([...calls, table.filter((index) => index >= 0)]);
  return bodies.map(({ isIndirect, locals }, i) => all[i] && (isIndirect || direct[i] || locals >= LARGE));
}

/** Returns code that adds to the stack pointer. */
function movePointer(pointer: number, by: number): number[] {
  return [...op.read(pointer), ...op.constant(by), ...op.add, ...op.write(pointer)];
}

function trapBelow({ pointer, lowest }: StackOptions): number[] {
  return [...op.read(pointer), ...op.constant(lowest), ...op.isLess, ...op.if, ...op.unreachable, ...op.end];
}

/** Returns for each node true if it is on a cycle (Tarjan's strongly connected components, without recursion). */
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

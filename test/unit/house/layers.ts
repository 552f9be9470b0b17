import type { Import } from './imports.ts';

/**
 * Rows of the architecture, from top to bottom, and the rows that each row may import from.
 * docs/develop/architecture.md describes the same rows and the training loop that they follow.
 */
export const ROWS: Readonly<Record<string, readonly string[]>> = {
  parameters: [],
  numbers: [],
  random: ['numbers'],
  gpu: [],
  rollouts: [],
  metrics: ['rollouts'],
  credit: ['gpu', 'rollouts'],
  diagnosis: ['rollouts', 'credit'],
  policy: ['gpu'],
  objective: ['gpu'],
  sandbox: [],
  customRules: ['rollouts', 'credit', 'sandbox'],
  environments: ['metrics', 'rollouts', 'sandbox'],
  // Arithmetic of a run. Training and experiments access the policy, the objective and the device only through it.
  engine: ['gpu', 'rollouts', 'credit', 'policy', 'objective'],
  training: ['metrics', 'rollouts', 'credit', 'sandbox', 'customRules', 'environments', 'engine'],
  experiments: ['metrics', 'rollouts', 'credit', 'sandbox', 'environments', 'engine', 'training'],
  storage: ['metrics', 'rollouts', 'training'],
  lessons: ['metrics', 'rollouts', 'credit', 'environments', 'training', 'storage'],
  // The page accesses training only through the worker protocol, so it runs no GPU or policy code.
  app: [
    'metrics',
    'rollouts',
    'credit',
    'diagnosis',
    'sandbox',
    'customRules',
    'environments',
    'training',
    'experiments',
    'lessons',
    'storage',
  ],
  cli: [
    'metrics',
    'gpu',
    'rollouts',
    'credit',
    'diagnosis',
    'sandbox',
    'customRules',
    'environments',
    'engine',
    'training',
    'experiments',
    'lessons',
    'storage',
  ],
};

/** Rows that every other row may import: parameter tables, numeric functions and random draws. */
const FOR_ALL = ['parameters', 'numbers', 'random'];

/** Data of training, which the page and storage may import at run time. From the rest they may import only types. */
const PROTOCOL = 'src/training/data/';

/** The WebGPU engine, and the rows that must not import it. */
const WGSL = 'src/engine/wgsl/';
const ABOVE_ENGINES = ['training', 'experiments'];

/** Kernels of credit rules and their buffers. */
const CREDIT_KERNELS = 'src/credit/gpu/';

/** Specifier and folder of the package that is the row `sandbox`. */
const SANDBOX = { specifier: '@turnwise/python-sandbox/', folder: 'packages/python-sandbox/src/' };

/** Returns the reason why an import violates the architecture, or undefined if it does not. */
export function violation(edge: Import): string | undefined {
  const reason = edge.from.startsWith('workers/') ? ofWorker(edge) : ofSource(edge);
  return reason && `${edge.from} imports ${edge.to}${edge.query}: ${reason}`;
}

function rowOf(path: string): string | undefined {
  if (path.startsWith(SANDBOX.specifier) || path.startsWith(SANDBOX.folder)) return 'sandbox';
  return /^src\/([^/]+)\/./.exec(path)?.[1];
}

function ofWorker({ to, isPackage }: Import): string | undefined {
  const row = rowOf(to);
  if (row === 'app' || row === 'cli') return `a worker does not import ${row}`;
  return !isPackage && /^(test|bench|scripts)\//.test(to) ? 'only src may be imported' : undefined;
}

function ofSource(edge: Import): string | undefined {
  const { from, to, isPackage, query, typeOnly } = edge;
  const row = rowOf(from);
  const allowed = row === undefined ? undefined : ROWS[row];
  if (row === undefined || allowed === undefined) return 'its folder is not a row of the architecture';
  const target = rowOf(to);
  if (isPackage && target === undefined) return undefined;
  if (row === 'sandbox') return to.startsWith(SANDBOX.folder) ? undefined : 'a package imports no part of the program';
  if (target === 'sandbox' && !isPackage) return 'the program imports the modules that the package exports';
  if (target === undefined) {
    if (to.startsWith('shaders/') || to === 'package.json') return undefined;
    if (row === 'app' && to.startsWith('workers/') && query.startsWith('?worker')) return undefined;
    // The page reads rules of the Python package as texts, which are templates for custom rules.
    if (row === 'app' && to.startsWith('python/turnwise_rl/')) return undefined;
    return 'src imports from src, shaders and packages only';
  }
  if (from.startsWith(PROTOCOL) && target === 'training' && !typeOnly && !to.startsWith(PROTOCOL)) {
    return 'the protocol is data: the page imports it, and must not get the loop with it';
  }
  if (target === row || (FOR_ALL.includes(target) && !FOR_ALL.includes(row))) return undefined;
  if (to.startsWith(WGSL) && ABOVE_ENGINES.includes(row))
    return `${row} names the interface of engines, not one of them`;
  if (to.startsWith(CREDIT_KERNELS) && row === 'training')
    return 'training computes no credit on a device: the engine does';
  if (!allowed.includes(target)) return `${row} may import from ${[...FOR_ALL, ...allowed].join(', ')}`;
  const protocolOnly = target === 'training' && (row === 'app' || row === 'storage');
  return protocolOnly && !typeOnly && !to.startsWith(PROTOCOL)
    ? `${row} may import only the protocol of training at run time`
    : undefined;
}

/**
 * Returns cycles of files that import one another, type imports included. A cycle is in the order of its imports and
 * begins with its alphabetically first file: `a -> b -> a`. Of overlapping cycles, at least one is returned.
 */
export function circles(edges: readonly Pick<Import, 'from' | 'to'>[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of edges) targets.set(from, [...(targets.get(from) ?? []), to]);
  const result: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string) => {
    const at = path.indexOf(file);
    if (at >= 0) result.push(fromFirstName(path.slice(at)));
    if (at >= 0 || done.has(file)) return;
    path.push(file);
    for (const target of targets.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of targets.keys()) visit(file);
  return [...new Set(result)];
}

function fromFirstName(circle: readonly string[]): string {
  const first = circle.indexOf([...circle].sort()[0]);
  const rotated = [...circle.slice(first), ...circle.slice(0, first)];
  return [...rotated, rotated[0]].join(' -> ');
}

/** Returns the pairs of folders of src/app that import each other, type imports included. */
export function mutualFolders(edges: readonly Pick<Import, 'from' | 'to'>[]): string[] {
  const folder = (path: string) => /^src\/app\/([^/]+)\//.exec(path)?.[1];
  const pairs = new Set<string>();
  const arrows = new Set<string>();
  for (const { from, to } of edges) {
    const [first, second] = [folder(from), folder(to)];
    if (first === undefined || second === undefined || first === second) continue;
    arrows.add(`${first} ${second}`);
    if (arrows.has(`${second} ${first}`)) pairs.add([first, second].sort().join(' '));
  }
  return [...pairs].sort();
}

/** Returns the bindings of a shader whose name does not describe their content: `g0`, `b1`, `buffer2`, `x`. */
export function namelessBindings(shader: string): string[] {
  const code = shader.replace(/\/\/.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, '');
  const names = [...code.matchAll(/@binding\s*\([^)]*\)\s*(?:@\w+\s*\([^)]*\)\s*)*var\s*(?:<[^>]*>)?\s*(\w+)/g)];
  return names
    .map((match) => match[1] ?? '')
    .filter((name) => /^(\w|(g|b|buf|buffer|bind|binding|arg|in|out|data|input|output|tensor)_?\d+)$/i.test(name));
}

/** Returns the number of lines of a text. A newline at the end does not start another line. */
export function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

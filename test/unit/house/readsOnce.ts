import { parseSync } from 'vite';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** Methods that return the current state of a page without waiting. */
const READERS = [
  ...['all', 'allInnerTexts', 'allTextContents', 'ariaSnapshot', 'boundingBox', 'count', 'evaluateAll', 'getAttribute'],
  ...['innerHTML', 'innerText', 'inputValue', 'isChecked', 'isDisabled', 'isEditable', 'isEnabled', 'isHidden'],
  ...['isVisible', 'textContent'],
];

/** Functions that call their argument repeatedly, and functions whose argument runs inside the page. */
const POLLING = ['eventually', 'readWhen', 'waitForFunction', 'evaluate', 'evaluateAll', '$$eval', '$eval'];

const WAIT = 'the page may not be there yet: write `await eventually(() => …).toBe(…)`, or `readWhen(() => …, fits)`';

/**
 * Returns the locations in a browser test that read a value once without waiting for it, or that wait for a time
 * instead of a state. Each message has the alternative.
 */
export function readsOnce(path: string, source: string): string[] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const problems: string[] = [];
  const root = program as unknown as Node;
  const named = readersOf(root);
  const isReader = (call: Node, name: string) => reads(call) || named.includes(name);
  visit(root, [], (node, above) => {
    const problem = (message: string) => {
      const line = source.slice(0, node.start).split('\n').length;
      problems.push(`${path}:${line}: ${message}`);
    };
    if (node.type === 'AwaitExpression') {
      const name = calledName(node.argument as Node);
      if (isExpected(node, above)) problem(`\`expect(await …)\`: ${WAIT}`);
      else if (name !== undefined && isReader(node.argument as Node, name) && !isRepeated(above))
        problem(`\`await …${name}()\`: ${WAIT}`);
    }
    if (node.type !== 'CallExpression') return;
    const name = calledName(node);
    if (name === 'waitForTimeout') problem('`waitForTimeout`: wait for a condition, not for a time');
    const isEventually = above.some(({ id }) => (id as Node | null | undefined)?.name === 'eventually');
    if (name === 'poll' && !isEventually)
      problem('`expect.poll`: `eventually` waits as long as all tests of the page do');
    if (name?.startsWith('setDefault') && (node.arguments as Node[])[0]?.type === 'Literal') {
      problem(`\`${name}\`: test/limits.ts has the waiting times of tests`);
    }
    for (const option of (node.arguments as Node[]).flatMap((argument) => (argument.properties as Node[]) ?? [])) {
      const isTimeout = (option.key as Node | undefined)?.name === 'timeout';
      if (isTimeout && (option.value as Node).type === 'Literal') {
        problem('`timeout`: test/limits.ts has the waiting times of tests');
      }
    }
  });
  return problems;
}

/** Returns the names of functions in a file that only return a reading: `const names = () => items.allInnerTexts()`. */
function readersOf(root: Node): string[] {
  const names: string[] = [];
  visit(root, [], (node) => {
    const value = node.type === 'VariableDeclarator' ? (node.init as Node | null) : null;
    if (value?.type !== 'ArrowFunctionExpression' || (value.body as Node).type === 'BlockStatement') return;
    let reading = false;
    visit(value.body as Node, [], (inner) => {
      reading ||= reads(inner);
    });
    if (reading) names.push(String((node.id as Node).name));
  });
  return names;
}

/** Returns true if a node calls one of READERS. Unlike `rows.all()`, `Promise.all([…])` has an argument. */
function reads(node: Node): boolean {
  const name = calledName(node) ?? '';
  return READERS.includes(name) && !(name === 'all' && (node.arguments as Node[]).length > 0);
}

/** Returns the name of the called function or method, or undefined if the node is not a call. */
function calledName(node: Node): string | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const callee = node.callee as Node;
  const named = callee.type === 'MemberExpression' ? (callee.property as Node) : callee;
  return named.name === undefined ? undefined : String(named.name);
}

/** Returns true if a node is in the argument of an `expect`, and no function between them can be called again. */
function isExpected(node: Node, above: readonly Node[]): boolean {
  let part = node;
  for (const outer of above) {
    if (/Function/.test(outer.type)) return false;
    const given = outer.type === 'CallExpression' && (outer.arguments as Node[]).includes(part);
    if (given && (outer.callee as Node).name === 'expect') return true;
    part = outer;
  }
  return false;
}

/** Returns true if the function around a node is called repeatedly, or is a reading that other code can repeat. */
function isRepeated(above: readonly Node[]): boolean {
  const at = above.findIndex(({ type }) => /Function/.test(type));
  const inner = above[at];
  if (!inner) return false;
  const given = above[at + 1];
  if (given?.type === 'CallExpression' && POLLING.includes(calledName(given) ?? '')) return true;
  // An arrow function with an expression body is a reading. Tests and hooks have block bodies.
  return inner.type === 'ArrowFunctionExpression' && (inner.body as Node).type !== 'BlockStatement';
}

/** Visits a node and its descendants; `above` lists the nodes that contain a node, from the inside out. */
function visit(node: Node, above: readonly Node[], act: (node: Node, above: readonly Node[]) => void): void {
  act(node, above);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child === 'object' && typeof (child as Node).type === 'string') {
        visit(child as Node, [node, ...above], act);
      }
    }
  }
}

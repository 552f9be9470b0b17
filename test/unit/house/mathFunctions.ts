import { parseSync } from 'vite';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/**
 * Functions of Math whose last bits depend on the JavaScript engine (ECMA-262, 21.3.2: "an implementation-approximated
 * Number value").
 */
const APPROXIMATED = [
  ...['acos', 'acosh', 'asin', 'asinh', 'atan', 'atan2', 'atanh', 'cbrt', 'cos', 'cosh', 'exp', 'expm1', 'hypot'],
  ...['log', 'log10', 'log1p', 'log2', 'pow', 'sin', 'sinh', 'tan', 'tanh'],
];

/**
 * Returns the locations in a source whose numbers may differ between JavaScript engines: approximated functions of
 * Math, called or passed as values, and all powers except those of two integer literals (`2 ** 20` is a constant).
 */
export function approximations(path: string, source: string): string[] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const uses: string[] = [];
  visit(program as unknown as Node, (node) => {
    const name = forbidden(node);
    if (name) uses.push(`${path}:${source.slice(0, node.start).split('\n').length}: ${name} (use src/numbers)`);
  });
  return uses;
}

function forbidden(node: Node): string | undefined {
  if (node.type === 'BinaryExpression' && node.operator === '**') {
    return isInteger(node.left as Node) && isInteger(node.right as Node) ? undefined : '**';
  }
  if (node.type === 'AssignmentExpression' && node.operator === '**=') return '**=';
  if (node.type === 'VariableDeclarator' && (node.init as Node | null)?.name === 'Math') return 'Math taken apart';
  if (node.type !== 'MemberExpression' || (node.object as Node).name !== 'Math') return undefined;
  const property = node.property as Node;
  if (node.computed && property.type !== 'Literal') return 'Math[...]';
  const name = String(property.name ?? property.value);
  return APPROXIMATED.includes(name) ? `Math.${name}` : undefined;
}

function isInteger({ type, value }: Node): boolean {
  return type === 'Literal' && Number.isInteger(value);
}

function visit(node: Node, act: (node: Node) => void): void {
  act(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child === 'object' && typeof (child as Node).type === 'string') visit(child as Node, act);
    }
  }
}

import { parseSync } from 'vite';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/**
 * Returns the lines (from 1) of a source that depend on environment names: comparisons with a name (`=== 'repair'`,
 * `case 'repair'`) and tables with rows for two or more environments.
 */
export function namedEnvironments(path: string, source: string, names: readonly string[]): number[] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const lines: number[] = [];
  const isName = (node: unknown) => names.includes(String((node as Node | null)?.value));
  visit(program as unknown as Node, (node) => {
    const compares = node.type === 'BinaryExpression' && (isName(node.left) || isName(node.right));
    const chooses = node.type === 'SwitchCase' && isName(node.test);
    const keys = node.type === 'ObjectExpression' ? (node.properties as Node[]).map(({ key }) => key as Node) : [];
    const rows = keys.filter((key) => names.includes(String(key?.name ?? key?.value)));
    if (compares || chooses || rows.length > 1) lines.push(source.slice(0, node.start).split('\n').length);
  });
  return lines;
}

function visit(node: Node, act: (node: Node) => void): void {
  act(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child === 'object' && typeof (child as Node).type === 'string') visit(child as Node, act);
    }
  }
}

import { posix } from 'node:path';
import { parseSync } from 'vite';

/** One import of a file, in any syntax. */
export interface Import {
  /** Importing file, as a path from the root of the repository. */
  readonly from: string;
  /** Imported file as a path from the root of the repository, or the specifier of a package. */
  readonly to: string;
  readonly isPackage: boolean;
  /** Query of Vite, for example `?raw` or `?worker`. Empty without a query. */
  readonly query: string;
  /** True if only types are imported. */
  readonly typeOnly: boolean;
}

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * Returns the imports of one source: static, `export from`, dynamic, `import type`, types of the form
 * `import('x').Y`, `import x = require('x')` and `import.meta.glob`. Throws if an import address is computed.
 */
export function importsOf(path: string, source: string): Import[] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const imports: Import[] = [];
  const add = (specifier: string, typeOnly: boolean) => {
    const [address = '', query] = specifier.split('?');
    const isPackage = !/^[./]/.test(address);
    const to = isPackage ? address : posix.join(address.startsWith('/') ? '' : posix.dirname(path), address);
    imports.push({
      from: path,
      to: to.replace(/^\//, ''),
      isPackage,
      query: query === undefined ? '' : `?${query}`,
      typeOnly,
    });
  };
  visit(program as unknown as Node, (node) => {
    for (const source of sources(node)) {
      const specifier = literal(source);
      if (specifier === undefined) throw new Error(`${path}: an import whose address is computed cannot be checked`);
      add(specifier, isTypeOnly(node));
    }
  });
  return imports;
}

/** Returns the nodes that contain the import addresses of `node`. */
function sources(node: Node): Node[] {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return [node.source as Node];
    case 'ExportNamedDeclaration':
      return node.source ? [node.source as Node] : [];
    case 'TSExternalModuleReference':
      return [node.expression as Node];
    case 'CallExpression':
      return isGlob(node.callee as Node) ? globs((node.arguments as Node[])[0]) : [];
    default:
      return [];
  }
}

function isGlob(callee: Node): boolean {
  return (
    callee.type === 'MemberExpression' &&
    (callee.object as Node).type === 'MetaProperty' &&
    (callee.property as Node).name === 'glob'
  );
}

function globs(argument: Node | undefined): Node[] {
  if (!argument) return [];
  return argument.type === 'ArrayExpression' ? (argument.elements as Node[]) : [argument];
}

/** Returns the text of a string or template, with `*` for an expression that is a folder name; otherwise undefined. */
function literal(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  const quasis = (node.quasis ?? []) as { value: { cooked: string } }[];
  const parts = quasis.map(({ value }) => value.cooked);
  const isFolder = parts.length === 2 && parts[0]?.endsWith('/') && parts[1]?.startsWith('/');
  return node.type === 'TemplateLiteral' && (parts.length === 1 || isFolder) ? parts.join('*') : undefined;
}

function isTypeOnly(node: Node): boolean {
  if (node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type') return true;
  const specifiers = (node.specifiers as Node[] | undefined) ?? [];
  // `import { type A }` still runs the other file (verbatimModuleSyntax), but imports no value from it.
  return (
    specifiers.length > 0 && specifiers.every(({ importKind, exportKind }) => (importKind ?? exportKind) === 'type')
  );
}

function visit(node: Node, act: (node: Node) => void): void {
  act(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child === 'object' && typeof (child as Node).type === 'string') visit(child as Node, act);
    }
  }
}

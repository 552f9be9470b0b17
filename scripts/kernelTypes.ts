// Generates the text of src/gpu/kernelTypes.ts from the declarations of the shaders.
import { type Binding, type ShaderLibrary, shaderInterface, shaderText } from '../src/gpu/shaderLibrary.ts';

const HEADER = `// Written by \`npm run kernels\` from the shaders. A test fails if the two differ.
// biome-ignore-all format: a kernel takes two lines, however many bindings it has
import type { DeclaredWorkgroup } from './shaderLibrary.ts';

/** An array that a kernel only reads, and one that it writes as well, by its element. */
interface Read<Element extends string> { readonly access: 'read'; readonly element: Element }
interface Write<Element extends string> { readonly access: 'read_write'; readonly element: Element }

/** Storage bindings by name, names of the fields of \`Params\`, names of the \`override\` constants. */
interface Declared<Bindings, Uniforms extends string = never, Constants extends string = never> {
  readonly bindings: Bindings;
  readonly uniforms: Uniforms;
  readonly constants: Constants;
}
`;

const quoted = (text: string) => `'${text}'`;
const union = (names: readonly string[]) => (names.length === 0 ? 'never' : names.map(quoted).join(' | '));

function bindingType({ name, type, element }: Binding): string {
  return `${name}: ${type === 'storage' ? 'Write' : 'Read'}<${quoted(element)}>`;
}

/**
 * Returns the module with the types and workgroup sizes of all kernels.
 * @param names paths below `shaders/` without the extension; files without an entry point are includes and are skipped
 */
export function kernelTypes(shaders: ShaderLibrary, names: readonly string[]): string {
  const types: string[] = [];
  const sizes: string[] = [];
  for (const name of names.toSorted()) {
    if (!shaders(name).includes('@compute')) continue;
    const { bindings, uniforms, constants, workgroup } = shaderInterface(shaderText(shaders, name).code);
    if (!workgroup) throw new Error(`shaders/${name}.wgsl has no @workgroup_size`);
    const buffers = bindings.filter(({ type }) => type !== 'uniform').map(bindingType);
    const additionalRuns = [
      union(uniforms.map((field) => field.name)),
      ...(constants.length > 0 ? [union(constants)] : []),
    ];
    types.push(`  readonly ${quoted(name)}: Declared<{ ${buffers.join('; ')} },`, `    ${additionalRuns.join(', ')}>;`);
    const sides = workgroup.sides.map((side) => (typeof side === 'number' ? side : quoted(side)));
    const defaults = Object.entries(workgroup.defaults).map(([constant, value]) => `${constant}: ${value}`);
    const defaultsText = defaults.length > 0 ? `{ ${defaults.join(', ')} }` : '{}';
    sizes.push(`  ${quoted(name)}: { sides: [${sides.join(', ')}], defaults: ${defaultsText} },`);
  }
  return `${HEADER}
/** Bindings, uniforms and constants of each kernel, by its path below \`shaders/\`. */
export interface KernelTypes {
${types.join('\n')}
}

export type KernelName = keyof KernelTypes;

/** The workgroup of each kernel, with the constants that its sides depend on (\`workgroupSize\` works them out). */
export const WORKGROUPS: { readonly [name in KernelName]: DeclaredWorkgroup } = {
${sizes.join('\n')}
};
`;
}

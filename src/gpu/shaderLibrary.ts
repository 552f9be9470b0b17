/**
 * Returns the WGSL source of a shader. The page bundles `shaders/`; the terminal reads it from disk. Names are paths
 * below `shaders/` without the extension, for example `policy/linear`.
 * @throws {Error} that names the shader, if it does not exist
 */
export type ShaderLibrary = (name: string) => string;

/** Text of a kernel, combined from its file and its parts. */
export interface ShaderText {
  readonly code: string;
  /** Returns the file and line of a line of the code, in the format of compilers and editors. Lines count from 1. */
  locate(line: number): string;
}

const PART = /^\/\/ with (\S+)$/gm;
const ENABLE = /^enable .*;$/gm;

/**
 * Returns the text of a shader. WGSL has no includes. A line "// with policy/linear_arguments" adds the functions and
 * bindings of another file. Added files follow the shader, each once; their `enable` directives move to the top.
 */
export function shaderText(shaders: ShaderLibrary, name: string): ShaderText {
  const names = new Set([name]);
  const files: { readonly name: string; readonly text: string }[] = [];
  // The iteration of a set includes elements that are added during the iteration.
  for (const each of names) {
    const text = shaders(each);
    files.push({ name: each, text });
    for (const [, part] of text.matchAll(PART)) names.add(part);
  }
  const fullText = files.map(({ text }) => text).join('\n');
  const enabled = [...new Set(fullText.match(ENABLE))].join(' ');
  const locate = (line: number) => {
    let fileLine = line;
    for (const file of files) {
      const length = file.text.split('\n').length;
      if (fileLine <= length) return `shaders/${file.name}.wgsl:${fileLine}`;
      fileLine -= length;
    }
    return `shaders/${name}.wgsl:${line}`;
  };
  return { code: enabled + fullText.replace(ENABLE, ''), locate };
}

/** Binding as declared in a shader. */
export interface Binding {
  readonly name: string;
  readonly binding: number;
  readonly type: GPUBufferBindingType;
  /** Element type of a storage buffer, for example `vec4f`; name of the structure for a uniform. */
  readonly element: string;
}

/** Field of the shader's `Params` uniform, with its offset in 32-bit words. */
export interface UniformField {
  readonly name: string;
  readonly type: 'u32' | 'i32' | 'f32';
  readonly offset: number;
}

/** Size of a workgroup in one dimension: a number, or the name of an `override` constant. */
export type Side = number | string;

/** Workgroup size as declared in a shader, with the constants on which it depends. */
export interface DeclaredWorkgroup {
  readonly sides: readonly [x: Side, y: Side, z: Side];
  /** Defaults of the `override` constants in `sides`. */
  readonly defaults: Readonly<Record<string, number>>;
}

export interface ShaderInterface {
  readonly bindings: readonly Binding[];
  /** Fields of `struct Params`, in order; empty if the shader has no uniform. */
  readonly uniforms: readonly UniformField[];
  /** Names of the `override` constants, in order. */
  readonly constants: readonly string[];
  /** Workgroup size; absent without an entry point, in a part of other shaders. */
  readonly workgroup?: DeclaredWorkgroup;
}

const BINDING =
  /@group\(0\)\s*@binding\((\d+)\)\s*var<\s*(uniform|storage)\s*(?:,\s*(read|read_write)\s*)?>\s*(\w+)\s*:\s*([^;]+);/g;
const ARRAY = /^array<(.+)>$/;
const PARAMS = /struct\s+Params\s*\{([^}]*)\}/;
const FIELD = /(\w+)\s*:\s*(u32|i32|f32)\s*,?/g;
const CONSTANT = /^\s*(override|const)\s+(\w+)\s*(?::\s*\w+\s*)?(?:=\s*([^;]+))?;/gm;
const WORKGROUP = /@workgroup_size\(([^)]*)\)/;
const INTEGER = /^(\d+)[ui]?$/;

/**
 * Reads from WGSL source the declarations that the host requires. These are names, access and elements of bindings,
 * fields of `struct Params`, `override` constants and the workgroup size. The host can therefore refer to buffers by
 * name instead of by number. Only scalar fields are supported, because the kernels use no others.
 * @throws {Error} for a workgroup with a side that is neither a whole number nor a constant
 */
export function shaderInterface(source: string): ShaderInterface {
  const code = source.replace(/\/\/.*$/gm, '');
  const bindings = [...code.matchAll(BINDING)].map(([, binding, space, access, name, type]): Binding => {
    const kind = space === 'uniform' ? 'uniform' : access === 'read_write' ? 'storage' : 'read-only-storage';
    return { name, binding: Number(binding), type: kind, element: ARRAY.exec(type.trim())?.[1] ?? type.trim() };
  });
  const struct = PARAMS.exec(code)?.[1] ?? '';
  const uniforms = [...struct.matchAll(FIELD)].map(
    (match, offset): UniformField => ({ name: match[1], type: match[2] as UniformField['type'], offset }),
  );
  const declared = [...code.matchAll(CONSTANT)];
  const constants = declared.filter(([, kind]) => kind === 'override').map(([, , name]) => name);
  const sides = WORKGROUP.exec(code)?.[1];
  if (sides === undefined) return { bindings, uniforms, constants };
  const values = new Map(declared.map(([, kind, name, value]) => [name, { kind, value }]));
  return { bindings, uniforms, constants, workgroup: declaredWorkgroup(sides, values) };
}

function declaredWorkgroup(
  sides: string,
  constants: ReadonlyMap<string, { readonly kind: string; readonly value: string | undefined }>,
): DeclaredWorkgroup {
  const defaults: Record<string, number> = {};
  const sideOf = (text = '1'): Side => {
    const name = text.trim();
    const known = constants.get(name);
    const match = INTEGER.exec(known ? (known.value ?? '').trim() : name);
    if (!match) throw new Error(`workgroup size: "${name}" is neither a whole number nor a constant`);
    if (known?.kind !== 'override') return Number(match[1]);
    defaults[name] = Number(match[1]);
    return name;
  };
  const [x, y, z] = sides.split(',').filter((side) => side.trim() !== '');
  return { sides: [sideOf(x), sideOf(y), sideOf(z)], defaults };
}

/**
 * Returns the number of invocations of a workgroup per dimension.
 * @param constants values of `override` constants; an omitted constant has the default of the shader
 */
export function workgroupSize(
  { sides, defaults }: DeclaredWorkgroup,
  constants: Readonly<Record<string, number>> = {},
): readonly [x: number, y: number, z: number] {
  const size = (side: Side) => (typeof side === 'number' ? side : (constants[side] ?? defaults[side]));
  const [x, y, z] = sides;
  return [size(x), size(y), size(z)];
}

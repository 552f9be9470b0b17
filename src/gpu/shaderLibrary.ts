/**
 * Where WGSL comes from: the page bundles `shaders/`, the terminal reads it from disk. Names are paths below
 * `shaders/` without the extension, for example `policy/linear`.
 * @throws {Error} naming the shader where there is none of that name.
 */
export type ShaderLibrary = (name: string) => string;

/** The text of a kernel, put together from its own file and its parts. */
export interface ShaderText {
  readonly code: string;
  /** File and line, as compilers and editors write them, of a line of the code; both count from 1. */
  place(line: number): string;
}

const PART = /^\/\/ with (\S+)$/gm;
const ENABLE = /^enable .*;$/gm;

/**
 * The text of a shader. WGSL has no includes: a line "// with policy/decode_attention" says that the functions and
 * bindings of another file belong to this one. They follow it, each file once; what they enable goes to the top.
 */
export function shaderText(shaders: ShaderLibrary, name: string): ShaderText {
  const names = new Set([name]);
  const files: { readonly name: string; readonly text: string }[] = [];
  // A set is walked through to its end, whatever is added on the way.
  for (const each of names) {
    const text = shaders(each);
    files.push({ name: each, text });
    for (const [, part] of text.matchAll(PART)) names.add(part);
  }
  const whole = files.map(({ text }) => text).join('\n');
  const enabled = [...new Set(whole.match(ENABLE))].join(' ');
  const place = (line: number) => {
    let own = line;
    for (const file of files) {
      const length = file.text.split('\n').length;
      if (own <= length) return `shaders/${file.name}.wgsl:${own}`;
      own -= length;
    }
    return `shaders/${name}.wgsl:${line}`;
  };
  return { code: enabled + whole.replace(ENABLE, ''), place };
}

/** A binding as a shader declares it. */
export interface Binding {
  readonly name: string;
  readonly binding: number;
  readonly type: GPUBufferBindingType;
}

/** A field of the shader's `Params` uniform, with its offset in 32-bit words. */
export interface UniformField {
  readonly name: string;
  readonly type: 'u32' | 'i32' | 'f32';
  readonly word: number;
}

export interface ShaderInterface {
  readonly bindings: readonly Binding[];
  /** Fields of `struct Params`, in order; empty where the shader has no uniform. */
  readonly uniforms: readonly UniformField[];
}

const BINDING =
  /@group\(0\)\s*@binding\((\d+)\)\s*var<\s*(uniform|storage)\s*(?:,\s*(read|read_write)\s*)?>\s*(\w+)\s*:/g;
const PARAMS = /struct\s+Params\s*\{([^}]*)\}/;
const FIELD = /(\w+)\s*:\s*(u32|i32|f32)\s*,?/g;

/**
 * Reads binding names and the fields of `struct Params` out of WGSL source, so that the host names buffers instead of
 * counting them. Only scalar fields are understood, which is all that the kernels here use.
 */
export function shaderInterface(source: string): ShaderInterface {
  const code = source.replace(/\/\/.*$/gm, '');
  const bindings = [...code.matchAll(BINDING)].map((match): Binding => {
    const type = match[2] === 'uniform' ? 'uniform' : match[3] === 'read_write' ? 'storage' : 'read-only-storage';
    return { name: match[4], binding: Number(match[1]), type };
  });
  const struct = PARAMS.exec(code)?.[1] ?? '';
  const uniforms = [...struct.matchAll(FIELD)].map(
    (match, word): UniformField => ({ name: match[1], type: match[2] as UniformField['type'], word }),
  );
  return { bindings, uniforms };
}

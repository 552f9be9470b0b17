import { type KernelName, type KernelTypes, WORKGROUPS } from './kernelTypes.ts';
import {
  type DeclaredWorkgroup,
  type ShaderInterface,
  type ShaderLibrary,
  type ShaderText,
  shaderInterface,
  shaderText,
  workgroupSize,
} from './shaderLibrary.ts';

/** Values of a shader's `override` constants. */
export type Constants = Readonly<Record<string, number>>;

/** Invocations of a workgroup, or workgroups of a dispatch, per dimension. */
export type Grid = readonly [x: number, y: number, z: number];

/**
 * Compiled kernel: its pipeline, and the names by which the host binds buffers and uniforms. The compiler checks the
 * bindings and uniforms of a `Kernel<'policy/linear'>` (kernelTypes.ts). It does not check a plain `Kernel`; the
 * recorder checks its names at run time.
 */
export interface Kernel<Name extends string = string> {
  readonly name: Name;
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
  readonly interface: ShaderInterface;
  /** Workgroup of the shader, with the constants of this compilation. */
  readonly workgroup: Grid;
}

type Names<Name, Field extends 'uniforms' | 'constants'> = Name extends KernelName ? KernelTypes[Name][Field] : never;
type BindingNames<Name> = Name extends KernelName ? keyof KernelTypes[Name]['bindings'] : never;

/** Name of a kernel, or text of any value. A literal that is not the name of a shader is `never`. */
export type Known<Name extends string> = string extends Name ? Name : Name extends KernelName ? Name : never;

/** Buffers of a kernel by binding name. For several kernels, the bindings of all of them. */
export type BindingsOf<Name extends string> = string extends Name
  ? Readonly<Record<string, GPUBuffer>>
  : Readonly<Record<BindingNames<Name>, GPUBuffer>>;

/** Uniforms of a kernel by the names of the fields of `Params`. For several kernels, the uniforms of all of them. */
export type UniformsOf<Name extends string> = string extends Name
  ? Readonly<Record<string, number>>
  : Readonly<Record<Names<Name, 'uniforms'>, number>>;

/** Values of the constants of one or several kernels. An omitted constant has the default of the shader. */
export type ConstantsOf<Name extends string> = string extends Name
  ? Constants
  : Readonly<Partial<Record<Names<Name, 'constants'>, number>>>;

/** Type without fields that are not in `Requested`. Without it, the compiler checks this only for literals. */
export type NoMore<Input, Requested> = Input & { readonly [name in Exclude<keyof Input, keyof Requested>]: never };

/** Error for a shader that does not compile, with the compiler's messages, lines and columns. */
export class ShaderError extends Error {
  constructor(name: string, { locate }: ShaderText, messages: readonly GPUCompilationMessage[], otherwise: string) {
    const lines = messages
      .filter((message) => message.type === 'error')
      .map((message) => `${locate(message.lineNum)}:${message.linePos}: ${message.message}`);
    super(lines.length > 0 ? lines.join('\n') : `shaders/${name}.wgsl: ${otherwise}`);
    this.name = 'ShaderError';
  }
}

/** Cache of compiled kernels. Each pair of shader and constants is compiled once; requests in flight are shared. */
export class KernelCache {
  private readonly kernels = new Map<string, Promise<Kernel>>();

  constructor(
    private readonly device: GPUDevice,
    private readonly shaders: ShaderLibrary,
  ) {}

  /**
   * Returns a compiled kernel.
   * @param name path below `shaders/` without the extension
   * @param constants values of `override` constants; an omitted constant has the default of the shader
   * @throws {ShaderError} with the compiler's line and column
   */
  get<Name extends string>(name: Known<Name>, constants?: ConstantsOf<Name>): Promise<Kernel<Name>> {
    return this.once(name, (constants ?? {}) as Constants) as Promise<Kernel<Name>>;
  }

  private once(name: string, constants: Constants): Promise<Kernel> {
    const key = `${name} ${JSON.stringify(Object.entries(constants).sort())}`;
    let kernel = this.kernels.get(key);
    if (!kernel) {
      kernel = this.compile(name, constants);
      this.kernels.set(key, kernel);
    }
    return kernel;
  }

  private async compile(name: string, constants: Constants): Promise<Kernel> {
    const text = shaderText(this.shaders, name);
    const { code } = text;
    // Errors of the module are reported below with line and column; the scope prevents a second report of them.
    this.device.pushErrorScope('validation');
    const module = this.device.createShaderModule({ label: name, code });
    const scope = this.device.popErrorScope();
    const declared = shaderInterface(code);
    const layout = this.device.createBindGroupLayout({
      label: name,
      entries: declared.bindings.map(({ binding, type }) => ({
        binding,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type, hasDynamicOffset: type === 'uniform' },
      })),
    });
    try {
      await scope;
      const pipeline = await this.device.createComputePipelineAsync({
        label: name,
        layout: this.device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module, entryPoint: 'main', constants: { ...constants } },
      });
      const workgroup = declared.workgroup ? workgroupSize(declared.workgroup, constants) : ([1, 1, 1] as const);
      return { name, pipeline, layout, interface: declared, workgroup };
    } catch (error) {
      const info = await module.getCompilationInfo();
      throw new ShaderError(name, text, info.messages, (error as Error).message);
    }
  }
}

/** Returns the workgroups of a dispatch with at least x, y and z invocations per dimension. */
export function covering({ workgroup }: Pick<Kernel, 'workgroup'>, x: number, y = 1, z = 1): Grid {
  return [Math.ceil(x / workgroup[0]), Math.ceil(y / workgroup[1]), Math.ceil(z / workgroup[2])];
}

/**
 * Returns the workgroup of a kernel without its compilation, for stages that are data, and for tiles.
 * @param constants constants of the future compilation, if the workgroup depends on them
 * @throws {Error} for a kernel that is newer than the generated types
 */
export function workgroupOf<Name extends KernelName>(name: Name, constants?: ConstantsOf<Name>): Grid {
  const declared: DeclaredWorkgroup | undefined = WORKGROUPS[name];
  if (!declared) throw new Error(`unknown kernel "${name}": run npm run kernels after a change of a shader`);
  return workgroupSize(declared, (constants ?? {}) as Constants);
}

import {
  type ShaderInterface,
  type ShaderLibrary,
  type ShaderText,
  shaderInterface,
  shaderText,
} from './shaderLibrary.ts';

/** Values of a shader's `override` constants. */
export type Constants = Readonly<Record<string, number>>;

/** A compiled kernel: its pipeline, and the names by which the host binds buffers and uniforms. */
export interface Kernel {
  readonly name: string;
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
  readonly interface: ShaderInterface;
}

/** A shader that did not compile: the compiler's messages with line and column. */
export class ShaderError extends Error {
  constructor(name: string, { place }: ShaderText, messages: readonly GPUCompilationMessage[], otherwise: string) {
    const lines = messages
      .filter((message) => message.type === 'error')
      .map((message) => `${place(message.lineNum)}:${message.linePos}: ${message.message}`);
    super(lines.length > 0 ? lines.join('\n') : `shaders/${name}.wgsl: ${otherwise}`);
    this.name = 'ShaderError';
  }
}

/** Compiles each (shader, constants) once; requests in flight are shared. */
export class KernelCache {
  private readonly kernels = new Map<string, Promise<Kernel>>();

  constructor(
    private readonly device: GPUDevice,
    private readonly shaders: ShaderLibrary,
  ) {}

  /**
   * @param name path below `shaders/` without the extension
   * @throws {ShaderError} with the compiler's line and column
   */
  get(name: string, constants: Constants = {}): Promise<Kernel> {
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
    // Errors of the module are told below with line and column; the scope keeps them from being told twice.
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
      return { name, pipeline, layout, interface: declared };
    } catch (error) {
      const info = await module.getCompilationInfo();
      throw new ShaderError(name, text, info.messages, (error as Error).message);
    }
  }
}

import { type BindingsOf, covering, type Kernel, type NoMore, type UniformsOf } from './kernel.ts';

/** Number of workgroups per dimension, 1 if absent, or the minimum number of invocations per dimension. */
export type DispatchSize =
  | readonly [x: number, y?: number, z?: number]
  | { readonly invocations: readonly [x: number, y?: number, z?: number] };

type Bindings = BindingsOf<string>;
type Uniforms = UniformsOf<string>;

/** Maximum number of workgroups per dimension of a dispatch: the default maxComputeWorkgroupsPerDimension. */
export const MAX_WORKGROUPS = 65535;
const SLOT_BYTES = 256; // the default minUniformBufferOffsetAlignment

/** Recorders of each device that are not destroyed. */
const recorders = new WeakMap<GPUDevice, Set<Recorder>>();

/**
 * Removes the references of every recorder of a device to a buffer. Call this function before the buffer is destroyed
 * (BufferSet does so).
 */
export function releaseBuffer(device: GPUDevice, buffer: GPUBuffer): void {
  for (const recorder of recorders.get(device) ?? []) recorder.release(buffer);
}

/**
 * Recorder of dispatches into one command encoder, which are submitted together. Each dispatch has a separate uniform
 * slot, so the GPU reads a slot before it is overwritten. All slots of a submission are uploaded in one write. The GPU
 * executes the commands in the recorded order. A call that throws records no command. Commands of earlier calls remain
 * until `submit` or `discard` (`atomic` calls one of them).
 */
export class Recorder {
  private readonly bindGroups = new Map<string, GPUBindGroup>();
  /** Keys of the bind groups that reference each buffer. */
  private readonly holders = new WeakMap<GPUBuffer, Set<string>>();
  /** Identifiers of buffers and layouts, which are the keys of bind groups. */
  private readonly ids = new WeakMap<object, number>();
  private readonly uniformBuffer: GPUBuffer;
  private readonly uniformData: ArrayBuffer;
  private readonly scratch: { readonly u32: Uint32Array; readonly i32: Int32Array; readonly f32: Float32Array };
  private nextId = 0;
  private slot = 0;
  private encoder: GPUCommandEncoder | undefined;
  private pass: GPUComputePassEncoder | undefined;
  /** Functions that restore the state before the current submission if it is discarded. */
  private undo: (() => void)[] = [];
  private stamp: (() => GPUComputePassTimestampWrites | undefined) | undefined;
  /** Counts since the creation of the recorder, for the benchmark. */
  readonly counts = { dispatches: 0, submissions: 0 };

  /** @param slots maximum number of dispatches of one submission */
  constructor(
    private readonly device: GPUDevice,
    private readonly slots: number,
  ) {
    this.uniformBuffer = device.createBuffer({
      label: 'uniform slots',
      size: slots * SLOT_BYTES,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    const existing = recorders.get(device);
    if (existing) existing.add(this);
    else recorders.set(device, new Set([this]));
    this.uniformData = new ArrayBuffer(slots * SLOT_BYTES);
    this.scratch = {
      u32: new Uint32Array(this.uniformData),
      i32: new Int32Array(this.uniformData),
      f32: new Float32Array(this.uniformData),
    };
  }

  /**
   * Adds one dispatch. For a kernel with a known name, a missing, misspelt or superfluous binding or uniform is a type
   * error.
   * @param bindings buffers by binding name; a plain `Kernel` ignores other buffers
   * @param size workgroups [x, y, z], or the minimum number of invocations; no dispatch is recorded if one of them is 0
   * @throws {Error} that names the kernel and the missing binding, or the missing or unknown uniform
   * @throws {RangeError} for more workgroups than a device allows
   */
  dispatch<Name extends string, B extends BindingsOf<Name>, U extends UniformsOf<Name>>(
    kernel: Kernel<Name>,
    bindings: NoMore<B, BindingsOf<Name>>,
    uniforms: NoMore<U, UniformsOf<Name>>,
    size: DispatchSize,
  ): void {
    const [x, y = 1, z = 1] = 'invocations' in size ? covering(kernel, ...size.invocations) : size;
    if (x === 0 || y === 0 || z === 0) return;
    if (Math.max(x, y, z) > MAX_WORKGROUPS) {
      throw new RangeError(`${kernel.name}: ${x} x ${y} x ${z} workgroups; a device grants ${MAX_WORKGROUPS} a side`);
    }
    if (this.slot === this.slots) throw new Error(`${kernel.name}: more than ${this.slots} dispatches in a submission`);
    this.writeUniforms(kernel, uniforms);
    const group = this.bindGroup(kernel, bindings);
    const pass = this.computePass();
    pass.setPipeline(kernel.pipeline);
    const hasUniform = kernel.interface.uniforms.length > 0;
    pass.setBindGroup(0, group, hasUniform ? [this.slot * SLOT_BYTES] : []);
    pass.dispatchWorkgroups(x, y, z);
    this.slot++;
    this.counts.dispatches++;
  }

  /** Number of further dispatches that fit in the current submission. */
  get remainingSlots(): number {
    return this.slots - this.slot;
  }

  /** Adds a copy between buffers. Sizes and offsets are in bytes. */
  copy(from: GPUBuffer, fromOffset: number, to: GPUBuffer, toOffset: number, bytes: number): void {
    this.endPass();
    this.commandEncoder().copyBufferToBuffer(from, fromOffset, to, toOffset, bytes);
  }

  /** Adds a command that sets a buffer to 0, or `bytes` of it from an offset. */
  clear(buffer: GPUBuffer, bytes: number = buffer.size, offset = 0): void {
    this.endPass();
    this.commandEncoder().clearBuffer(buffer, offset, bytes);
  }

  /** Sets the function that returns the timestamps of each later compute pass; undefined stops them (Stopwatch). */
  stampPasses(stamp: (() => GPUComputePassTimestampWrites | undefined) | undefined): void {
    this.endPass();
    this.stamp = stamp;
  }

  /** Adds a copy of the first `count` timestamps of a query set to the beginning of a buffer. */
  resolve(set: GPUQuerySet, count: number, to: GPUBuffer): void {
    this.endPass();
    this.commandEncoder().resolveQuerySet(set, 0, count, to, 0);
  }

  /** Submits all recorded commands as one submission. */
  submit(): void {
    this.endPass();
    if (!this.encoder) return;
    if (this.slot > 0)
      this.device.queue.writeBuffer(this.uniformBuffer, 0, this.uniformData, 0, this.slot * SLOT_BYTES);
    this.device.queue.submit([this.encoder.finish()]);
    this.begin();
    this.counts.submissions++;
  }

  /** Discards all commands since the last submission, and restores the state that was changed for them. */
  discard(): void {
    this.endPass();
    this.stamp = undefined;
    this.counts.dispatches -= this.slot;
    for (const undo of this.undo.reverse()) undo();
    this.begin();
  }

  /** Registers a function that restores state changed for the current submission. `discard` calls it. */
  whenDiscarded(undo: () => void): void {
    this.undo.push(undo);
  }

  /** Records and submits. If `record` throws, all recorded commands are discarded. */
  atomic<T>(record: () => T): T {
    try {
      const result = record();
      this.submit();
      return result;
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  /** Removes the bind groups of a buffer, which otherwise retain it. */
  release(buffer: GPUBuffer): void {
    for (const key of this.holders.get(buffer) ?? []) this.bindGroups.delete(key);
    this.holders.delete(buffer);
  }

  /** Number of bind groups in the cache. */
  get bufferCount(): number {
    return this.bindGroups.size;
  }

  /** Destroys the uniform slots. Bound buffers have other owners. */
  destroy(): void {
    recorders.get(this.device)?.delete(this);
    this.uniformBuffer.destroy();
    this.bindGroups.clear();
  }

  /** Resets the recorder to an empty submission. */
  private begin(): void {
    this.encoder = undefined;
    this.slot = 0;
    this.undo = [];
  }

  private commandEncoder(): GPUCommandEncoder {
    this.encoder ??= this.device.createCommandEncoder();
    return this.encoder;
  }

  private computePass(): GPUComputePassEncoder {
    if (!this.pass) {
      const timestampWrites = this.stamp?.();
      this.pass = this.commandEncoder().beginComputePass(timestampWrites && { timestampWrites });
    }
    return this.pass;
  }

  private endPass(): void {
    this.pass?.end();
    this.pass = undefined;
  }

  private writeUniforms(kernel: Kernel, uniforms: Uniforms): void {
    const start = (this.slot * SLOT_BYTES) / 4;
    const fields = kernel.interface.uniforms;
    for (const field of fields) {
      const value = uniforms[field.name];
      if (value === undefined) throw new Error(`${kernel.name}: uniform "${field.name}" is missing`);
      this.scratch[field.type][start + field.offset] = value;
    }
    const names = Object.keys(uniforms);
    if (names.length > fields.length) {
      const unknown = names.find((name) => !fields.some((field) => field.name === name));
      throw new Error(`${kernel.name}: there is no uniform "${unknown}"`);
    }
  }

  private bindGroup(kernel: Kernel, bindings: Bindings): GPUBindGroup {
    let key = `${this.idOf(kernel.layout)}`;
    for (const { name, type } of kernel.interface.bindings) {
      if (type === 'uniform') continue;
      const buffer = bindings[name];
      if (!buffer) throw new Error(`${kernel.name}: binding "${name}" is missing`);
      key += `,${this.idOf(buffer)}`;
    }
    let group = this.bindGroups.get(key);
    if (!group) {
      group = this.device.createBindGroup({
        label: kernel.name,
        layout: kernel.layout,
        entries: kernel.interface.bindings.map(({ name, binding, type }) => ({
          binding,
          resource: type === 'uniform' ? { buffer: this.uniformBuffer, size: SLOT_BYTES } : { buffer: bindings[name] },
        })),
      });
      this.bindGroups.set(key, group);
      for (const { name, type } of kernel.interface.bindings) if (type !== 'uniform') this.holds(bindings[name], key);
    }
    return group;
  }

  private holds(buffer: GPUBuffer, key: string): void {
    const keys = this.holders.get(buffer);
    if (keys) keys.add(key);
    else this.holders.set(buffer, new Set([key]));
  }

  private idOf(object: GPUBuffer | GPUBindGroupLayout): number {
    let id = this.ids.get(object);
    if (id === undefined) {
      id = this.nextId++;
      this.ids.set(object, id);
    }
    return id;
  }
}

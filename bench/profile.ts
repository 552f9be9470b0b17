import { median } from './measure.ts';

/** Time of one kernel at one size [ms], summed over the dispatches of a run. */
export interface KernelTime {
  readonly phase: string;
  readonly kernel: string;
  readonly workgroups: string;
  readonly dispatches: number;
  readonly ms: number;
}

interface Stamped {
  readonly encoder: GPUCommandEncoder;
  readonly kernel: string;
  readonly workgroups: string;
  readonly set: GPUQuerySet;
  readonly index: number;
}

const SET_SIZE = 4096;

/** Creates a WebGPU entry of Dawn with the full resolution of timestamps. Browsers and Dawn round them by default. */
export async function preciseGpu(): Promise<GPU> {
  const { create, globals } = await import('webgpu');
  Object.assign(globalThis, globals);
  return create(['enable-dawn-features=allow_unsafe_apis', 'disable-dawn-features=timestamp_quantization']);
}

/** Wraps a WebGPU entry so that its devices support timestamps. Pass the result to `openGpu`. */
export function withTimestamps(gpu: GPU): GPU {
  const requestAdapter: GPU['requestAdapter'] = async (options) => {
    const adapter = await gpu.requestAdapter(options);
    if (!adapter?.features.has('timestamp-query')) throw new Error('this adapter has no timestamps to profile with');
    const requestDevice = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = (descriptor) =>
      requestDevice({
        ...descriptor,
        requiredFeatures: [...(descriptor?.requiredFeatures ?? []), 'timestamp-query'],
      });
    return adapter;
  };
  return { requestAdapter } as GPU;
}

/**
 * Runs `run` with every dispatch of `device` in a separate compute pass between two timestamps.
 * @param phaseOf returns the name of the phase to which a submission with these kernels belongs
 * @returns times by phase, kernel and number of workgroups, longest first
 */
export async function profile(
  device: GPUDevice,
  phaseOf: (kernels: ReadonlySet<string>) => string,
  run: () => Promise<unknown>,
): Promise<KernelTime[]> {
  const sets: GPUQuerySet[] = [];
  const stamped: Stamped[] = [];
  const { beginComputePass } = GPUCommandEncoder.prototype;
  GPUCommandEncoder.prototype.beginComputePass = function () {
    return stampingPass((kernel, workgroups) => {
      const index = (2 * stamped.length) % SET_SIZE;
      if (index === 0) sets.push(device.createQuerySet({ type: 'timestamp', count: SET_SIZE }));
      const set = sets[sets.length - 1];
      stamped.push({ encoder: this, kernel, workgroups, set, index });
      return beginComputePass.call(this, {
        timestampWrites: { querySet: set, beginningOfPassWriteIndex: index, endOfPassWriteIndex: index + 1 },
      });
    });
  };
  try {
    await run();
  } finally {
    GPUCommandEncoder.prototype.beginComputePass = beginComputePass;
  }
  const stamps = new Map<GPUQuerySet, BigUint64Array>();
  for (const set of sets) stamps.set(set, await readSet(device, set));
  return summed(stamped, stamps, phaseOf);
}

/** Returns the median time of each kernel at each size over runs of the same work, longest first. */
export function medianTimes(runs: readonly (readonly KernelTime[])[]): KernelTime[] {
  const key = ({ phase, kernel, workgroups }: KernelTime) => `${phase} ${kernel} ${workgroups}`;
  const tables = runs.map((rows) => new Map(rows.map((row) => [key(row), row.ms])));
  return runs[0]
    .map((row) => ({ ...row, ms: median(tables.flatMap((table) => table.get(key(row)) ?? [])) }))
    .sort((a, b) => b.ms - a.ms);
}

/** Creates an object that a recorder uses as one pass. Each dispatch runs in a separate pass, which `begin` creates. */
function stampingPass(begin: (kernel: string, workgroups: string) => GPUComputePassEncoder): GPUComputePassEncoder {
  let pipeline: GPUComputePipeline;
  const groups = new Map<number, Parameters<GPUComputePassEncoder['setBindGroup']>>();
  const pass = {
    setPipeline: (next: GPUComputePipeline) => {
      pipeline = next;
    },
    setBindGroup: (...args: Parameters<GPUComputePassEncoder['setBindGroup']>) => groups.set(args[0], args),
    dispatchWorkgroups: (x: number, y = 1, z = 1) => {
      const real = begin(pipeline.label || 'unnamed', [x, y, z].join(' x '));
      real.setPipeline(pipeline);
      for (const args of groups.values()) real.setBindGroup(...args);
      real.dispatchWorkgroups(x, y, z);
      real.end();
    },
    end: () => undefined,
  };
  return pass as unknown as GPUComputePassEncoder;
}

async function readSet(device: GPUDevice, set: GPUQuerySet): Promise<BigUint64Array> {
  const size = SET_SIZE * 8;
  const resolved = device.createBuffer({ size, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
  const staging = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.resolveQuerySet(set, 0, SET_SIZE, resolved, 0);
  encoder.copyBufferToBuffer(resolved, 0, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const values = new BigUint64Array(staging.getMappedRange().slice(0));
  for (const resource of [set, resolved, staging]) resource.destroy();
  return values;
}

function summed(
  stamped: readonly Stamped[],
  stamps: ReadonlyMap<GPUQuerySet, BigUint64Array>,
  phaseOf: (kernels: ReadonlySet<string>) => string,
): KernelTime[] {
  const kernelsOf = new Map<GPUCommandEncoder, Set<string>>();
  for (const { encoder, kernel } of stamped) {
    kernelsOf.set(encoder, (kernelsOf.get(encoder) ?? new Set()).add(kernel));
  }
  const rows = new Map<string, KernelTime>();
  for (const { encoder, kernel, workgroups, set, index } of stamped) {
    const phase = phaseOf(kernelsOf.get(encoder) as Set<string>);
    const values = stamps.get(set) as BigUint64Array;
    const ms = Number(values[index + 1] - values[index]) / 1e6;
    const key = `${phase} ${kernel} ${workgroups}`;
    const before = rows.get(key);
    const dispatches = 1 + (before?.dispatches ?? 0);
    rows.set(key, { phase, kernel, workgroups, dispatches, ms: ms + (before?.ms ?? 0) });
  }
  return [...rows.values()].sort((a, b) => b.ms - a.ms);
}

import { KernelCache } from './kernel.ts';
import type { ShaderLibrary } from './shaderLibrary.ts';

/** Usable WebGPU is not available here; the message states the request. */
export class NoWebGpuError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NoWebGpuError';
  }
}

/** A device with its compiled kernels and the errors that no promise reports. */
export interface Gpu {
  readonly device: GPUDevice;
  readonly kernels: KernelCache;
  /** Name for people: vendor, architecture and device as far as the browser reports them. */
  readonly name: string;
  /** A software renderer, many times slower than a graphics card. */
  readonly software: boolean;
  /** Subgroup operations are there, and every subgroup has at least SUBGROUP lanes. */
  readonly subgroups: boolean;
  /** Compute passes can be timed. */
  readonly timestamps: boolean;
  /** Resolves when the device is lost, regardless of the cause. */
  readonly lost: Promise<GPUDeviceLostInfo>;
  /** The first uncaptured error since the last call, or undefined. */
  readError(): string | undefined;
}

/** Lanes that subgroup kernels count on. */
const SUBGROUP = 8;

const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|software|basic render/i;

/**
 * Finds the adapter of this machine.
 * @param gpu `navigator.gpu` in a page or worker, Dawn's object on Node
 * @throws {NoWebGpuError} if there is no WebGPU or no adapter
 */
export async function openAdapter(gpu: GPU | undefined): Promise<GPUAdapter> {
  if (!gpu) throw new NoWebGpuError('This browser has no WebGPU (navigator.gpu is missing).');
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new NoWebGpuError('WebGPU is here, but it offers no adapter: the GPU or its driver is blocked.');
  return adapter;
}

/** True for a software renderer. */
export function isSoftware({ info }: GPUAdapter): boolean {
  return SOFTWARE.test(`${info.vendor} ${info.architecture} ${info.device} ${info.description}`);
}

/**
 * Opens a device with default limits (see docs/develop/architecture.md: everything here works within them), with subgroups
 * where they are wide enough to be of use, and with timestamps where there are any.
 * @throws {NoWebGpuError} if the adapter gives no device
 */
export async function openGpu(adapter: GPUAdapter, shaders: ShaderLibrary): Promise<Gpu> {
  let device: GPUDevice;
  const subgroups = adapter.features.has('subgroups') && adapter.info.subgroupMinSize >= SUBGROUP;
  const timestamps = adapter.features.has('timestamp-query');
  const requiredFeatures: GPUFeatureName[] = [];
  if (subgroups) requiredFeatures.push('subgroups');
  if (timestamps) requiredFeatures.push('timestamp-query');
  try {
    device = await adapter.requestDevice({ label: 'turnwise', requiredFeatures });
  } catch (error) {
    throw new NoWebGpuError(`The adapter gives no device: ${(error as Error).message}`);
  }
  let firstError: string | undefined;
  device.addEventListener('uncapturederror', (event) => {
    firstError ??= (event as GPUUncapturedErrorEvent).error.message;
  });
  const { vendor, architecture, device: model, description } = adapter.info;
  const name = description || [vendor, architecture, model].filter(Boolean).join(' ') || 'unnamed GPU';
  return {
    device,
    kernels: new KernelCache(device, shaders),
    name,
    software: isSoftware(adapter),
    subgroups,
    timestamps,
    lost: device.lost,
    readError: () => {
      const error = firstError;
      firstError = undefined;
      return error;
    },
  };
}

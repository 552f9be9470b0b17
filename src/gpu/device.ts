import { KernelCache } from './kernel.ts';
import type { ShaderLibrary } from './shaderLibrary.ts';

/** Error if WebGPU is unavailable or has no usable adapter or device. */
export class NoWebGpuError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NoWebGpuError';
  }
}

/** Device with its compiled kernels and the errors that no promise reports. */
export interface Gpu {
  readonly device: GPUDevice;
  readonly kernels: KernelCache;
  /** Display name: vendor, architecture and device, as far as the browser reports them. */
  readonly name: string;
  /** True for a software renderer, which is many times slower than a graphics card. */
  readonly software: boolean;
  /** True if the device has subgroup operations and every subgroup has at least SUBGROUP lanes. */
  readonly subgroups: boolean;
  /** True if compute passes can be timed. */
  readonly timestamps: boolean;
  /** Promise that resolves when the device is lost, for any cause. */
  readonly lost: Promise<GPUDeviceLostInfo>;
  /** Returns the first uncaptured error since the last call, or undefined. */
  readError(): string | undefined;
}

/** Minimum number of lanes that subgroup kernels require. */
const SUBGROUP = 8;

const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|software|basic render/i;

/**
 * Requests the adapter of this machine.
 * @param gpu `navigator.gpu` in a page or worker, Dawn's object on Node
 * @throws {NoWebGpuError} if there is no WebGPU or no adapter
 */
export async function openAdapter(gpu: GPU | undefined): Promise<GPUAdapter> {
  if (!gpu) throw new NoWebGpuError('This browser has no WebGPU (navigator.gpu is missing).');
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new NoWebGpuError('WebGPU is here, but it offers no adapter: the GPU or its driver is blocked.');
  return adapter;
}

/** Returns true for a software renderer. */
export function isSoftware({ info }: GPUAdapter): boolean {
  return SOFTWARE.test(`${info.vendor} ${info.architecture} ${info.device} ${info.description}`);
}

/**
 * Opens a device with default limits, which all kernels respect (see docs/develop/architecture.md). It enables
 * subgroups if they are wide enough, and timestamps if the adapter supports them.
 * @throws {NoWebGpuError} if the adapter returns no device
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

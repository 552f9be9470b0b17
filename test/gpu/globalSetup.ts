import { gpuEnvironment } from '../../scripts/gpu.mjs';

/** Chooses the driver before any test process starts, so that `npx vitest --project gpu` works by itself too. */
export default function setup(): void {
  Object.assign(process.env, gpuEnvironment());
}

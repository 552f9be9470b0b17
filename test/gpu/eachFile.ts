// Vitest runs this before each file of the GPU tests.
import { afterAll, afterEach } from 'vitest';
import { closeDevice, expectNoErrors } from './device.ts';
import { closeGpu } from './gpu.ts';

afterEach(expectNoErrors);
afterAll(closeDevice);
afterAll(closeGpu);

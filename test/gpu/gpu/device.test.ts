import { expect, test } from 'vitest';
import { nodeShaderLibrary } from '../../../src/cli/framework/node.ts';
import { readBuffer, testDevice } from '../device.ts';

const DOUBLE = /* wgsl */ `
  @group(0) @binding(0) var<storage, read_write> values: array<f32>;

  @compute @workgroup_size(64)
  fn main(@builtin(global_invocation_id) id: vec3u) {
    if (id.x < arrayLength(&values)) { values[id.x] *= 2.0; }
  }
`;

test('a kernel runs on the device and its result is read back', async () => {
  const device = await testDevice();
  const pipeline = await device.createComputePipelineAsync({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code: DOUBLE }) },
  });
  const input = Float32Array.from({ length: 1000 }, (_, index) => index + 0.5);
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const values = device.createBuffer({ size: input.byteLength, usage });
  device.queue.writeBuffer(values, 0, input);

  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = [{ binding: 0, resource: { buffer: values } }];
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(Math.ceil(input.length / 64));
  pass.end();
  device.queue.submit([encoder.finish()]);

  expect(new Float32Array(await readBuffer(values))).toEqual(input.map((value) => value * 2));
});

test('the device has the default limits, which every browser grants', async () => {
  const { limits } = await testDevice();
  expect(limits.maxStorageBuffersPerShaderStage).toBe(8);
  expect(limits.maxComputeInvocationsPerWorkgroup).toBe(256);
  expect(limits.maxComputeWorkgroupStorageSize).toBe(16384);
});

test('all calls in a test file return the same device', async () => {
  expect(await testDevice()).toBe(await testDevice());
});

test('the error for a missing shader contains its name', () => {
  expect(() => nodeShaderLibrary()('policy/nothing')).toThrow('there is no shader "policy/nothing"');
});

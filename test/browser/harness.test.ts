import { expect, inject, test } from 'vitest';
import { eventually } from './app.ts';
import { launchChromium, openPage } from './chromium.ts';
import { BLANK_PATH, SITE_PATH } from './siteServer.ts';

test('Chromium opens an empty page', async () => {
  const page = await (await launchChromium()).newPage();
  await page.goto('about:blank');
  const agent = await page.evaluate(() => navigator.userAgent);
  expect(agent).toContain('Chrome');
  await page.close();
});

test('a served page has a WebGPU device that computes', async () => {
  const { page, errors, close } = await openPage(BLANK_PATH);
  const doubled = await page.evaluate(async () => {
    const adapter = await navigator.gpu.requestAdapter();
    if (!adapter) throw new Error('no adapter');
    const device = await adapter.requestDevice();
    const code = `@group(0) @binding(0) var<storage, read_write> values: array<f32>;
      @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { values[id.x] *= 2.0; }`;
    const compute = { module: device.createShaderModule({ code }) };
    const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute });
    const values = device.createBuffer({ size: 12, usage: 128 | 8 | 4 }); // STORAGE, COPY_DST, COPY_SRC
    const staging = device.createBuffer({ size: 12, usage: 1 | 8 }); // MAP_READ, COPY_DST
    device.queue.writeBuffer(values, 0, new Float32Array([1.5, -2, 21]));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    const entries = [{ binding: 0, resource: { buffer: values } }];
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(3);
    pass.end();
    encoder.copyBufferToBuffer(values, 0, staging, 0, 12);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(1);
    return [...new Float32Array(staging.getMappedRange())];
  });
  expect(doubled).toEqual([3, -4, 42]);
  expect(errors).toEqual([]);
  await close();
});

test('the server serves the page at a sub-path, without special headers, and returns 404 for other paths', async () => {
  const at = (path: string) => fetch(new URL(path, inject('origin')));
  const page = await at(SITE_PATH);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(page.headers.get('cross-origin-opener-policy')).toBeNull();
  for (const path of ['/', '/index.html', `${SITE_PATH}missing.js`, `${SITE_PATH}..%2f..%2fpackage.json`]) {
    const { status } = await at(path);
    expect(status, path).toBe(404);
  }
});

test('console errors and exceptions of a page are collected', async () => {
  const { page, errors, close } = await openPage(BLANK_PATH);
  await page.evaluate(() => {
    console.error('a message');
    setTimeout(() => {
      throw new Error('thrown');
    });
  });
  await eventually(() => errors).toEqual([expect.stringMatching(/^console: a message/), 'uncaught: thrown']);
  await close();
});

test('a page has the requested window size and colour scheme', async () => {
  const { page, close } = await openPage(BLANK_PATH, { viewport: { width: 320, height: 640 }, colorScheme: 'dark' });
  const observed = await page.evaluate(() => [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]);
  expect(observed).toEqual([320, true]);
  await close();
});

import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { rolldown } from 'rolldown';
import { beforeAll, expect, test } from 'vitest';

const MODULE = fileURLToPath(new URL('../../src/guest/lockdown.ts', import.meta.url));
let code: string;

beforeAll(async () => {
  const bundle = await rolldown({ input: MODULE, logLevel: 'silent' });
  code = (await bundle.generate({ format: 'iife', name: 'lockdown' })).output[0].code;
  await bundle.close();
});

/**
 * Evaluates expressions in the realm of a worker after the lockdown.
 * @returns the value of each expression, or its error, as text
 */
function inside(expressions: readonly string[], before = ''): Promise<string[]> {
  const attempts = expressions.map((expression) => `() => ${expression}`).join(',\n');
  // All programs are compiled before the lockdown, which prevents that text becomes code.
  const script = `
    const { parentPort } = require('node:worker_threads');
    const post = parentPort.postMessage.bind(parentPort);
    ${code}
    ${before}
    const attempts = [${attempts}];
    lockdown.lockDown();
    post(attempts.map((attempt) => {
      try { return String(attempt()); } catch (error) { return 'throws ' + error.message; }
    }));`;
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, { eval: true });
    worker.once('message', (values) => {
      resolve(values);
      void worker.terminate();
    });
    worker.once('error', reject);
  });
}

test('the realm of a worker has fetch, process and timers before the lockdown', async () => {
  const script =
    'require("node:worker_threads").parentPort.postMessage([typeof fetch, typeof process, typeof setTimeout])';
  const worker = new Worker(script, { eval: true });
  const types = await new Promise((resolve) => worker.once('message', resolve));
  expect(types).toEqual(['function', 'object', 'function']);
  await worker.terminate();
});

test('the lockdown removes all globals with access to the host', async () => {
  const names = [
    'fetch', 'process', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'Buffer', 'XMLHttpRequest', 'WebSocket', 'Worker',
    'SharedWorker', 'importScripts', 'indexedDB', 'caches', 'navigator', 'postMessage', 'BroadcastChannel', 'MessageChannel', 'Blob', 'URL',
    'crypto', 'performance', 'console', 'eval', 'Function', 'SharedArrayBuffer', 'Atomics', 'structuredClone', 'Iterator',
    'addEventListener', 'EventTarget', 'global', 'self',
  ]; // biome-ignore format: a list of words
  const types = await inside(names.map((name) => `typeof globalThis[${JSON.stringify(name)}]`));
  expect(Object.fromEntries(names.map((name, i) => [name, types[i]]))).toEqual(
    Object.fromEntries(names.map((name) => [name, 'undefined'])),
  );
});

test('function constructors throw an error after the lockdown, so that no text becomes code', async () => {
  const makers = [
    '(() => {}).constructor("return 1")()',
    '(async () => {}).constructor("return 1")',
    '(function* () {}).constructor("yield 1")',
    '(async function* () {}).constructor("yield 1")',
    'Object.getPrototypeOf(function () {}).constructor("return 1")',
    '[].map.constructor("return 1")()',
    'class { static x = 1 }.constructor("return 1")()',
    'WebAssembly.Memory.constructor("return 1")()',
  ];
  expect(await inside(makers)).toEqual(makers.map(() => 'throws closed in the sandbox'));
});

test('globals that the lockdown removed cannot be defined again', async () => {
  const values = await inside([
    'Object.defineProperty(globalThis, "fetch", { value: 1 })',
    '(globalThis.process = 1, typeof globalThis.process)',
    '(delete globalThis.fetch, typeof fetch)',
    'Object.defineProperty(Object.getPrototypeOf(() => {}), "constructor", { value: 1 })',
  ]);
  expect(values).toEqual([
    expect.stringMatching('throws Cannot redefine'),
    'undefined',
    'undefined',
    expect.stringMatching('throws Cannot redefine'),
  ]);
});

test('the lockdown removes inherited globals of the realm', async () => {
  const before =
    'Object.setPrototypeOf(globalThis, Object.create(Object.prototype, { leak: { value: 1, configurable: true } }));';
  expect(await inside(['typeof leak'], before)).toEqual(['undefined']);
});

test('functions that the interpreter needs work after the lockdown', async () => {
  const values = await inside([
    'new TextDecoder().decode(new TextEncoder().encode("é"))',
    'new WebAssembly.Memory({ initial: 1 }).buffer.byteLength',
    'JSON.stringify([...new Map([[1, 2n ** 3n === 8n]])])',
  ]);
  expect(values).toEqual(['é', '65536', '[[1,true]]']);
});

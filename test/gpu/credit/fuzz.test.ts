import { expect, test } from 'vitest';
import { devices } from '../../fuzz/devices.ts';
import { runFuzzer } from '../../fuzz/fuzzer.ts';
import { testGpu } from '../gpu.ts';

test('hostile groups get the same from the GPU as from the CPU: a refusal, or the same numbers', async () => {
  const fuzzer = devices(await testGpu());
  const { cases, failure } = await runFuzzer(fuzzer, fuzzer.caseCount, 12);
  expect(failure).toBeUndefined();
  expect(cases).toBe(fuzzer.caseCount);
}, 600_000);

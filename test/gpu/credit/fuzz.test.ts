import { expect, test } from 'vitest';
import { devices } from '../../fuzz/devices.ts';
import { runFuzzer } from '../../fuzz/fuzzer.ts';
import { testGpu } from '../gpu.ts';

test('for fuzzed groups, the GPU and the CPU report the same error or compute the same credit', async () => {
  const fuzzer = devices(await testGpu());
  const { cases, failure } = await runFuzzer(fuzzer, fuzzer.caseCount, 12);
  expect(failure).toBeUndefined();
  expect(cases).toBe(fuzzer.caseCount);
}, 600_000);

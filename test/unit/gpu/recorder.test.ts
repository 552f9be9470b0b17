import { beforeEach, expect, test } from 'vitest';
import { BufferSet, partTimes, ReadbackRing } from '../../../src/gpu/buffers.ts';
import type { Kernel } from '../../../src/gpu/kernel.ts';
import { Recorder } from '../../../src/gpu/recorder.ts';
import { FakeDevice } from '../../fakeDevice.ts';

const kernel = {
  name: 'test/scale',
  pipeline: {},
  layout: {},
  workgroup: [4, 2, 1],
  interface: {
    bindings: [
      { name: 'params', binding: 0, type: 'uniform' },
      { name: 'source', binding: 1, type: 'read-only-storage' },
      { name: 'goal', binding: 2, type: 'storage' },
    ],
    uniforms: [{ name: 'factor', type: 'f32', offset: 0 }],
  },
} as unknown as Kernel;

let fake: FakeDevice;
let recorder: Recorder;
let buffers: BufferSet;

beforeEach(() => {
  fake = new FakeDevice();
  recorder = new Recorder(fake.device, 2);
  buffers = new BufferSet(fake.device);
});

function dispatch(goal: GPUBuffer, uniforms: Record<string, number> = { factor: 1 }): void {
  recorder.dispatch(kernel, { source: goal, goal }, uniforms, [1]);
}

test('an error inside atomic() discards its dispatches, uniform slots, read-backs and timestamps', () => {
  const goal = buffers.storage('goal', 4);
  const ring = new ReadbackRing(buffers, 'goal', 4, 1);
  for (let time = 0; time < 3; time++) {
    const broken = () =>
      recorder.atomic(() => {
        recorder.stampPasses(() => undefined);
        dispatch(goal);
        ring.record(recorder, goal);
        throw new Error('a group that the rule cannot read');
      });
    expect(broken).toThrow('a group that the rule cannot read');
    expect(recorder.remainingSlots).toBe(2);
    expect(ring.ready).toBe(true);
  }
  recorder.submit();
  expect(fake.submitted).toEqual([]);
  expect(recorder.counts).toEqual({ dispatches: 0, submissions: 0 });
  recorder.atomic(() => dispatch(goal));
  expect(fake.submitted).toEqual([['dispatch 1']]);
});

test('a rejected dispatch records nothing, and earlier dispatches are still submitted', () => {
  const goal = buffers.storage('goal', 4);
  dispatch(goal);
  expect(() => dispatch(goal, {})).toThrow('uniform "factor" is missing');
  expect(() => recorder.dispatch(kernel, { goal }, { factor: 1 }, [1])).toThrow('binding "source" is missing');
  expect(recorder.remainingSlots).toBe(1);
  dispatch(goal);
  expect(() => dispatch(goal)).toThrow('more than 2 dispatches');
  recorder.submit();
  expect(fake.submitted).toEqual([['dispatch 1', 'dispatch 1']]);
  expect(recorder.remainingSlots).toBe(2);
});

test('a dispatch has the number of workgroups that its invocations need, and 0 invocations record none', () => {
  const goal = buffers.storage('goal', 4);
  const sizes = [[9, 2], [8], [0]] as const;
  for (const invocations of sizes) recorder.dispatch(kernel, { source: goal, goal }, { factor: 1 }, { invocations });
  recorder.submit();
  expect(fake.submitted).toEqual([['dispatch 3', 'dispatch 2']]);
});

test('bind groups are cached, and removed when one of their buffers is destroyed', () => {
  const persistent = buffers.storage('keep', 4);
  for (let round = 0; round < 5; round++) {
    const temporary = new BufferSet(fake.device);
    const goal = temporary.storage('goal', 4);
    dispatch(goal);
    recorder.dispatch(kernel, { source: persistent, goal }, { factor: 1 }, [1]);
    recorder.submit();
    expect(recorder.bufferCount).toBe(2);
    temporary.destroy();
    expect(recorder.bufferCount).toBe(0);
  }
  dispatch(persistent);
  dispatch(persistent);
  expect(fake.bindGroups).toBe(11);
  recorder.destroy();
  buffers.destroy();
  expect(fake.alive).toBe(0);
});

const stamps = (...values: number[]) => BigUint64Array.from(values, BigInt);

test('partTimes measures a part from the start of its first pass to the end of its last pass', () => {
  const times = stamps(1_000_000, 1_500_000, 1_600_000, 2_000_000, 2_000_000, 5_000_000);
  expect(partTimes(times, [0, 0, 1], 2)).toEqual([1, 3]);
});

test('partTimes returns NaN for a part without passes, without timestamps, or with a clock that restarted', () => {
  expect(partTimes(stamps(1_000_000, 2_000_000), [1], 2)).toEqual([Number.NaN, 1]);
  expect(partTimes(stamps(0, 0), [0], 1)).toEqual([Number.NaN]);
  expect(partTimes(stamps(9_000_000, 1_000), [0], 1)).toEqual([Number.NaN]);
});

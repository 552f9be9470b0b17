import { expect, test } from 'vitest';
import { dateOf, daysTo, readTime, writeTime } from '../../src/guest/calendar.ts';

const memory = () => {
  const heap = new Uint32Array(16);
  const setUint32 = (at: number, value: number) => {
    heap[at >>> 2] = value;
  };
  return { HEAPU32: heap, setUint32, mark: () => {} };
};
const fieldsOf = (seconds: number) => {
  const python = memory();
  writeTime(python, seconds, 0);
  return Array.from(python.HEAPU32.subarray(0, 8), (field) => field | 0);
};
const secondsOf = (...fields: number[]) => {
  const python = memory();
  fields.forEach((field, i) => {
    python.setUint32(4 * i, field);
  });
  return readTime(python, 0);
};

test('dateOf and daysTo agree with Date, which has the same calendar', () => {
  for (let days = -100_000_000; days <= 100_000_000; days += 9973) {
    const date = new Date(days * 86_400_000);
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
    expect(dateOf(days)).toEqual([year, month, day]);
    expect(daysTo(year, month, day)).toBe(days);
  }
});

// Expected values of CPython 3.11 on Linux: time.gmtime(...), calendar.timegm(...).
test.each([
  [0, [0, 0, 0, 1, 0, 70, 4, 0]],
  [-1, [59, 59, 23, 31, 11, 69, 3, 364]],
  [-60_000_000_000, [0, 20, 13, 3, 8, -1832, 1, 246]],
  [10 ** 14, [40, 46, 9, 7, 10, 3_168_943, 6, 310]],
])('writeTime writes the fields of gmtime(%i) in CPython', (seconds, fields) => {
  expect(fieldsOf(seconds)).toEqual(fields);
});

test('writeTime limits years to the range of an int', () => {
  expect(fieldsOf(2 ** 62)[5]).toBe(2 ** 31 - 1);
  expect(fieldsOf(-(2 ** 62))[5]).toBe(-(2 ** 31));
});

test('readTime returns seconds, also for fields out of range and for years below 100', () => {
  expect(secondsOf(0, 0, 0, 1, 0, 70)).toBe(0n);
  expect(secondsOf(0, 0, 0, 1, 0, 50 - 1900)).toBe(-60_589_296_000n);
  expect(secondsOf(0, 0, 0, 1, 0, 298_100)).toBe(9_404_918_380_800n);
  expect(secondsOf(-1, 0, 24, 31, 11, 69)).toBe(-1n);
  expect(secondsOf(0, 0, 0, 1, 12, 99)).toBe(946_684_800n);
});

import type { RunBands } from '../chart.ts';

/** Bands of the standard run with ten seeds [percent]. `npm run record:bands` writes this file. */
export const RECORDED_BANDS: RunBands = {
  line: 'fact:solved',
  every: 4,
  first: {
    low: [3, 11, 16, 20, 14, 19, 28, 31, 27, 33, 52, 48, 66, 70, 53, 66, 75, 64, 77, 81, 78, 81, 81],
    high: [23, 39, 36, 41, 55, 64, 64, 59, 66, 69, 75, 81, 86, 83, 88, 83, 95, 98, 92, 97, 95, 98, 95],
  },
  second: {
    low: [34, 41, 50, 44, 64, 59, 63, 58, 69, 75, 83, 72, 86, 84, 86],
    high: [63, 72, 72, 67, 81, 78, 92, 84, 92, 91, 94, 95, 97, 95, 100],
  },
};

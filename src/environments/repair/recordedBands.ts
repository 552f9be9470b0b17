import type { RunBands } from '../chart.ts';

/** Bands of the standard run with ten seeds [percent]. `npm run record:bands` writes this file. */
export const RECORDED_BANDS: RunBands = {
  line: 'fact:solved',
  claim: 'm1',
  every: 4,
  first: {
    low: [41, 50, 54, 53, 52, 37, 59, 59, 57, 70, 57, 66, 64, 67, 62, 63, 68, 78, 60, 68, 76, 64, 76],
    high: [86, 81, 85, 91, 97, 89, 86, 87, 83, 89, 90, 97, 98, 95, 87, 95, 93, 93, 94, 98, 95, 89, 97],
  },
  second: {
    low: [37, 49, 47, 44, 40, 42, 49, 55, 58, 56, 48, 55, 57, 51, 60],
    high: [85, 88, 99, 91, 85, 93, 95, 81, 93, 87, 94, 95, 93, 97, 95],
  },
};

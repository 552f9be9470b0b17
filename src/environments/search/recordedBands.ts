import type { RunBands } from '../chart.ts';

/** Bands of the standard run with ten seeds [percent]. `npm run record:bands` writes this file. */
export const RECORDED_BANDS: RunBands = {
  line: 'toolUse',
  claim: 't1',
  every: 4,
  first: {
    low: [47, 80, 90, 91, 92, 95, 97, 97, 96, 97, 96, 97, 98, 98, 98, 98, 98, 98, 98, 97, 97, 98, 96],
    high: [59, 92, 98, 99, 98, 99, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100],
  },
  second: {
    low: [98, 97, 97, 94, 92, 70, 9, 9, 2, 2, 0, 0, 0, 0, 0],
    high: [100, 100, 99, 99, 98, 98, 97, 88, 89, 66, 16, 5, 13, 5, 4],
  },
};

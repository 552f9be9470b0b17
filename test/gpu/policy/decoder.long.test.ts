import { describe, test } from 'vitest';
import { expectSameAsInference, LONG_SHAPES } from './decoderRun.ts';

describe('a decoder gives the logits and the cache of the plain inference, bit for bit', () => {
  test.each(LONG_SHAPES)('%s', (_, config) => expectSameAsInference(config));
});

import { expect, test } from 'vitest';
import { createNodeSource } from '../src/host/node.ts';
import { createPythonImage } from '../src/host/pythonFiles.ts';

test('a rebuilt image is identical to the image from which workers start', async () => {
  const { image: saved } = await createNodeSource().parts();
  const again = await createPythonImage();
  expect({ ...again, memory: again.memory.length }).toEqual({ ...saved, memory: saved.memory.length });
  // Comparing 24 MB element by element would take minutes.
  expect(Buffer.compare(again.memory, saved.memory)).toBe(0);
});

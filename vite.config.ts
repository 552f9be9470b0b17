import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { pythonWorker } from './packages/python-sandbox/src/host/vitePlugin.ts';
import { firstChunk } from './scripts/firstChunk.mjs';
import { offline } from './scripts/offline.mjs';
import { exactKernels } from './scripts/plugins/exactKernels.ts';
import { labResults } from './scripts/plugins/labResults.ts';
import { lessons } from './scripts/plugins/lessons.ts';
import { ruleFacts } from './scripts/plugins/ruleFacts.ts';
import { glossaryStrings } from './src/app/strings/glossaryStrings.ts';
import { galleryElements } from './test/gallery/elements.ts';
import { TEST_MS } from './test/limits.ts';

/** Results of the lab, a file a claim. */
const LAB = join(import.meta.dirname, 'docs/reference/lab');
/** A folder a lesson. */
const LESSONS = join(import.meta.dirname, 'lessons');
const TERMS = Object.keys(glossaryStrings.meanings);

export default defineConfig({
  // Relative addresses: the built page works from any sub-path of a plain static host.
  base: './',
  plugins: [
    pythonWorker(),
    ruleFacts(),
    exactKernels(),
    labResults(LAB),
    lessons(LESSONS, TERMS),
    offline(),
    firstChunk(),
    galleryElements(),
  ],
  build: { target: 'es2022' },
  worker: { format: 'es' },
  server: { port: 5173 },
  preview: { port: 5173 },
  test: {
    allowOnly: false,
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          include: ['test/unit/**/*.test.ts', 'test/fuzz/**/*.test.ts', 'packages/*/test/unit/**/*.test.ts'],
          globalSetup: ['test/temporaryFiles.ts'],
          setupFiles: ['test/unit/equalBytes.ts'],
          // The files of a process share its imports: without that, most of the time goes into importing.
          isolate: false,
          unstubGlobals: true,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'sandbox',
          environment: 'node',
          include: ['test/sandbox/**/*.test.ts', 'packages/python-sandbox/test/*.test.ts'],
          isolate: false,
          // They run last in the gate, when both cores are free.
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: 'gpu',
          environment: 'node',
          include: ['test/gpu/**/*.test.ts'],
          globalSetup: ['test/gpu/globalSetup.ts', 'test/temporaryFiles.ts'],
          setupFiles: ['test/gpu/eachFile.ts'],
          // One device at a time. The files of the process share its imports and the driver's compiled pipelines.
          pool: 'forks',
          fileParallelism: false,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          environment: 'node',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/globalSetup.ts'],
          setupFiles: ['test/browser/eachFile.ts'],
          pool: 'forks',
          // The files of a process share its imports and its browser.
          isolate: false,
          // Most of a file's time is waiting for the page, so two files at a time use two cores better than one.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});

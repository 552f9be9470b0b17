// Vitest runs this before each file of the browser tests.
import { afterAll } from 'vitest';
import { closePages } from './chromium.ts';

afterAll(closePages);

import { serveLogs } from '../src/diagnosis/serveLogs.ts';

/** Entry point of the worker that reads and diagnoses the files that a user opens in the Inspector. */
serveLogs(self as unknown as Worker);

import { serveLogs } from '../src/rollouts/import/serveLogs.ts';

/** Entry point of the worker that reads the files that a user gives to the Inspector. */
serveLogs(self as unknown as Worker);

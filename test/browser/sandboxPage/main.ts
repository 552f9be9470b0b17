import { createPageSource } from '../../../src/sandbox/host/page.ts';
import { Sandbox } from '../../../src/sandbox/sandbox.ts';

// A page that contains only a sandbox, for tests to control.
Object.assign(globalThis, { sandbox: new Sandbox(createPageSource(), { workers: 1 }) });

import { createPageSource } from '@turnwise/python-sandbox/host/page';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';

// A page that contains only a sandbox, for tests to control.
Object.assign(globalThis, { sandbox: new Sandbox(createPageSource(), { workers: 1 }) });

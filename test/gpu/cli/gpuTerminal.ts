import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openNodeGpu } from '../../../src/cli/framework/node.ts';
import type { Terminal } from '../../../src/cli/framework/terminal.ts';
import { turnwise } from '../../unit/cli/cliTerminal.ts';

/** Temporary folder of the test file. */
const folder = mkdtempSync(join(tmpdir(), 'turnwise-cli-gpu-'));
afterAll(() => rmSync(folder, { recursive: true }));

export const path = (name: string) => join(folder, name);

/** Terminal parts that open a device. */
export const opened = { openGpu: () => openNodeGpu() };

/** Runs a command line on a device. */
export const onGpu = (line: string, parts: Partial<Terminal> = {}) => turnwise(line, { ...opened, ...parts });

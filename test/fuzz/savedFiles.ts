import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { warmStartFile } from '../../src/cli/framework/policyFiles.ts';
import { defaults } from '../../src/parameters/parameters.ts';
import { writeRunFile } from '../../src/storage/runFile.ts';
import { defaultConfiguration } from '../../src/training/data/configurationTables.ts';
import { SETTINGS } from '../searchTables.ts';
import { metricsOf } from '../unit/app/appFixtures.ts';
import { begin, CaseFolder } from './caseFolder.ts';
import type { Fuzzer } from './fuzzer.ts';
import { type Change, changed, changes, type Damage, damaged, damages } from './mutations.ts';

const folder = new CaseFolder();

interface CheckpointCase {
  readonly changes: readonly Change[];
  /** Damages to the bytes of the header, including its length. */
  readonly header: readonly Damage[];
  readonly fullFile: readonly Damage[];
}

/** Returns header and data of a safetensors file. The header is JSON and follows its own length in eight bytes. */
function checkpointParts(): { readonly header: unknown; readonly data: Buffer } {
  const file = readFileSync(warmStartFile(defaults(SETTINGS)));
  const end = 8 + Number(file.readBigUInt64LE(0));
  return { header: JSON.parse(file.toString('utf8', 8, end)), data: file.subarray(end) };
}

/** Fuzzer of checkpoints with changed headers or damaged bytes. */
export const checkpoints: Fuzzer<CheckpointCase> = {
  name: 'checkpoints',
  about: 'safetensors checkpoints: header and bytes',
  caseCount: 10,
  cases: fc.record({ changes: changes(), header: damages(), fullFile: damages() }),
  async checkCase({ changes, header, fullFile }) {
    folder.clear();
    const parts = checkpointParts();
    const text = Buffer.from(JSON.stringify(changed(parts.header, changes)));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    const start = damaged(Buffer.concat([length, text]), header);
    const input = folder.file('policy.safetensors', damaged(Buffer.concat([start, parts.data]), fullFile));
    await folder.accepts(['evaluate', '--checkpoint', input], 'policy.safetensors', begin(start));
  },
};

interface RunCase {
  readonly changes: readonly Change[];
  readonly damages: readonly Damage[];
}

const RUN = {
  configuration: defaultConfiguration(),
  step: 2,
  events: [{ step: 1, kind: 'change' as const, changes: { rule: 'grpo-or' }, text: 'rule' }],
  metrics: [metricsOf(0), metricsOf(1)],
  checkpoint: toArrayBuffer(readFileSync(warmStartFile(defaults(SETTINGS)))),
};

function toArrayBuffer(data: Buffer): ArrayBuffer {
  return new Uint8Array(data).buffer;
}

const SAVED: unknown = JSON.parse(writeRunFile(RUN));

/** Fuzzer of saved runs with changed fields or damaged bytes. */
export const savedRuns: Fuzzer<RunCase> = {
  name: 'runs',
  about: 'runs kept by train --save: fields and bytes',
  caseCount: 8,
  cases: fc.record({ changes: changes(), damages: damages() }),
  async checkCase({ changes, damages }) {
    folder.clear();
    const text = Buffer.from(JSON.stringify(changed(SAVED, changes)));
    const bytes = damaged(text, damages);
    const input = folder.file('kept.json', bytes);
    await folder.accepts(['train', '--resume', input, '--steps', '9'], 'kept.json', begin(bytes));
  },
};

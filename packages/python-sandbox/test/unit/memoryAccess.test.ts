import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder, root } from '../../../../test/files.ts';

/** Calls that read texts or bytes of a size that a program may determine, and the files that may contain them. */
const READS: readonly (readonly [call: RegExp, files: readonly string[]])[] = [
  [/UTF8ToString|AsUTF8|TextDecoder\(/, ['memoryAccess.ts']],
  [/HEAP\w+\.(subarray|slice|indexOf)/, ['memoryAccess.ts']],
  // These calls read the whole memory at the start or restore of an interpreter, or arguments from the host.
  [
    /new (Uint8|Int32|Uint32|Uint16)Array\([a-z]/,
    ['interpreter.ts', 'marshal.ts', 'numberList.ts', 'pages.ts', 'snapshot.ts'],
  ],
];

test.each(READS)('the guest contains %s only in the allowed files', (call, allowed) => {
  const files = filesUnder('packages/python-sandbox/src/guest', '.ts').filter((path) =>
    call.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(files.map((path) => path.split('/').at(-1)).sort()).toEqual(allowed);
});

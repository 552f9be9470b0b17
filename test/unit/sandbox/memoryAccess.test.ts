import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder, root } from '../../files.ts';

/** Calls that read text or bytes of a size that a program may have chosen, and the files that may contain them. */
const READS: readonly (readonly [call: RegExp, files: readonly string[]])[] = [
  [/UTF8ToString|AsUTF8|TextDecoder\(/, ['memoryAccess.ts']],
  [/HEAP\w+\.(subarray|slice|indexOf)/, ['memoryAccess.ts']],
  // All of memory, while an interpreter starts or is restored; and arguments, which the host chooses.
  [
    /new (Uint8|Int32|Uint32|Uint16)Array\([a-z]/,
    ['interpreter.ts', 'marshal.ts', 'numberList.ts', 'pages.ts', 'snapshot.ts'],
  ],
];

test.each(READS)('%s is in no other file of the guest', (call, allowed) => {
  const files = filesUnder('src/sandbox/guest', '.ts').filter((path) =>
    call.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(files.map((path) => path.split('/').at(-1)).sort()).toEqual(allowed);
});

import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

// Changes of values and texts. A change consists of a few numbers and words, so that fast-check can shrink a failing
// case. The effect of a change on a value depends only on these numbers and words.

const nested = (open: string, close: string, levels: number): unknown =>
  JSON.parse(`${open.repeat(levels)}1${close.repeat(levels)}`);

/** Values that a file may contain in the position of another value. */
const HOSTILE: readonly unknown[] = [
  ...[null, true, false, 0, 1, 2, -1, 7, 64, 0.5, -0.1, 1e-300, 1e15, 1e16, 1e300, -1e308, 2 ** 32, 2 ** 53],
  ...['', ' ', 'x', '0.9', 'NaN', '1e999', '__proto__', 'constructor', '\u001b[2J\u0007', '\ud800', '\u202eabc', '中'],
  ...['a'.repeat(5000), 'line\nline', '<|im_start|>assistant\n', 'assistant\n'],
  ...[[], {}, [null], [[]], [0, 1], [1, '1'], [0.5, -1e300], { role: 'assistant' }, { role: 'user', content: 'q' }],
  ...[JSON.parse('{"__proto__": {"x": 1}}'), nested('[', ']', 1500), nested('{"a":', '}', 1500)],
];

const NAMES = ['__proto__', 'constructor', 'length', 'toString', 'id', 'turns', 'x', '', '\u001b[2J', 'n'.repeat(500)];

/** A change at one position of a JSON value. */
export interface Change {
  /** Number that selects one of the positions of the value, modulo the number of positions. */
  readonly position: number;
  readonly kind: 'set' | 'delete' | 'double' | 'add' | 'rename' | 'wrap' | 'copy';
  /** Number that selects an item of HOSTILE, an item of NAMES, or another position. */
  readonly pick: number;
}

export const changes = (maximum = 3): fc.Arbitrary<readonly Change[]> =>
  fc.array(
    fc.record({
      position: fc.nat({ max: 100_000 }),
      kind: fc.constantFrom<Change['kind']>('set', 'set', 'set', 'delete', 'double', 'add', 'rename', 'wrap', 'copy'),
      pick: fc.nat({ max: 100_000 }),
    }),
    { maxLength: maximum },
  );

interface Slot {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Returns a copy of a value with changes. */
export function changed(value: unknown, list: readonly Change[]): unknown {
  const root: Record<string, unknown> = { root: copyOf(value) };
  for (const entry of list) change(root, entry);
  return root.root;
}

function change(root: Record<string, unknown>, { position, kind, pick }: Change): void {
  const all = findSlots(root);
  const { holder, key } = all[position % all.length];
  const value = holder[key];
  const hostile = HOSTILE[pick % HOSTILE.length];
  const name = NAMES[pick % NAMES.length];
  switch (kind) {
    case 'delete':
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else if (holder !== root) delete holder[key];
      return;
    case 'double':
      if (Array.isArray(holder)) holder.splice(Number(key), 0, copyOf(value));
      else put(holder, name, copyOf(value));
      return;
    case 'add':
      if (Array.isArray(value)) value.push(copyOf(hostile));
      else if (isObject(value)) put(value as Record<string, unknown>, name, copyOf(hostile));
      else put(holder, key, copyOf(hostile));
      return;
    case 'rename':
      if (Array.isArray(holder) || holder === root) return;
      delete holder[key];
      put(holder, name, value);
      return;
    case 'wrap':
      put(holder, key, pick % 2 === 0 ? [value] : { value });
      return;
    case 'copy': {
      const from = all[pick % all.length];
      put(holder, key, copyOf(from.holder[from.key]));
      return;
    }
    default:
      put(holder, key, copyOf(hostile));
  }
}

/** Returns the positions of a value, outer levels first, to a depth of 12 levels. */
function findSlots(root: Record<string, unknown>): Slot[] {
  const all: Slot[] = [];
  let level: Record<string, unknown>[] = [root];
  for (let depth = 0; depth < 12 && level.length > 0; depth++) {
    const slots = level.flatMap((holder) => Object.keys(holder).map((key): Slot => ({ holder, key })));
    all.push(...slots);
    level = slots.map(({ holder, key }) => holder[key]).filter(isObject) as Record<string, unknown>[];
  }
  return all;
}

function put(holder: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function copyOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A change to the bytes of a file. */
export interface Damage {
  readonly kind: (typeof DAMAGES)[number];
  /** Number that selects the position, modulo the length of the file. */
  readonly at: number;
}

const DAMAGES = [
  ...['flip', 'cut', 'drop', 'repeat', 'zero', 'mark', 'windows', 'utf16', 'latin', 'gzip', 'empty', 'blank'],
  ...['nan', 'huge', 'brackets', 'nest'],
] as const;

/** Returns generated damages. Most cases have none, so that the reader sees the changes of values. */
export const damages = (maximum = 1): fc.Arbitrary<readonly Damage[]> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.array(fc.record({ kind: fc.constantFrom(...DAMAGES), at: fc.nat({ max: 10_000_000 }) }), {
        minLength: 1,
        maxLength: maximum,
      }),
    },
  );

/** Returns generated flips of single bits. */
export const flips = (maximum: number): fc.Arbitrary<readonly Damage[]> =>
  fc.array(fc.record({ kind: fc.constant<'flip'>('flip'), at: fc.nat({ max: 100_000_000 }) }), {
    minLength: 1,
    maxLength: maximum,
  });

/** Returns a copy of the bytes with damages. */
export function damaged(bytes: Uint8Array, list: readonly Damage[]): Buffer {
  return list.reduce<Buffer>((now, entry) => damage(now, entry), Buffer.from(bytes));
}

function damage(bytes: Buffer, { kind, at }: Damage): Buffer {
  const offset = bytes.length === 0 ? 0 : Math.floor(at / 8) % bytes.length;
  const around = (middle: string | Buffer, to = offset) =>
    Buffer.concat([bytes.subarray(0, offset), Buffer.from(middle), bytes.subarray(to)]);
  const next = (mark: string) => Math.max(0, bytes.indexOf(mark, offset));
  switch (kind) {
    case 'flip':
      if (bytes.length > 0) bytes[offset] ^= 1 << (at % 8);
      return bytes;
    case 'cut':
      return bytes.subarray(0, offset);
    case 'drop':
      return around('', offset + 1 + (at % 40));
    case 'repeat':
      return around(bytes.subarray(offset, offset + (at % 200)));
    case 'zero':
      return around(Buffer.alloc(at % 9), offset + (at % 9));
    case 'mark':
      return Buffer.concat([Buffer.from('\uFEFF'), bytes]);
    case 'windows':
      return Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
    case 'utf16':
      return Buffer.from(`\uFEFF${bytes.toString('utf8')}`, 'utf16le');
    case 'latin':
      return around(Buffer.from([0xff, 0xfe, 0xe9]));
    case 'gzip':
      return gzipSync(bytes);
    case 'empty':
      return Buffer.alloc(0);
    case 'blank':
      return Buffer.concat([Buffer.from('\n \n'), bytes, Buffer.from('\n\n')]);
    case 'nan': {
      const colon = next(':');
      return Buffer.concat([bytes.subarray(0, colon + 1), Buffer.from('NaN,'), bytes.subarray(colon + 1)]);
    }
    case 'huge':
      return Buffer.from(
        bytes.toString('latin1').replace(/\d+(?=[,}\]])/, at % 2 === 0 ? '1e999' : '9'.repeat(400)),
        'latin1',
      );
    case 'brackets':
      return around('['.repeat(at % 2 === 0 ? 3 : 100_000));
    case 'nest': {
      const colon = next(':');
      const levels = 100_000;
      const deep = `${'['.repeat(levels)}${']'.repeat(levels)},"x":`;
      return Buffer.concat([bytes.subarray(0, colon + 1), Buffer.from(deep), bytes.subarray(colon + 1)]);
    }
  }
}

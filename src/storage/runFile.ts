import type { SavedRun } from '../training/data/protocol.ts';
import { Curve, fileCurve } from './curve.ts';
import { StorageError } from './runStore.ts';
import { checkSavedRun } from './savedRun.ts';

/**
 * Format of a run file: JSON with the checkpoint in base64, a checksum of the checkpoint, and a checksum of all
 * content.
 */
const FORMAT = 'turnwise-run';
const FORMAT_VERSION = 1;

const EMPTY_CRC = 0xffffffff;

/** Writes a run as the text of a file. */
export function writeRunFile(saved: SavedRun): string {
  return runFileParts(saved).join('');
}

/** Returns the text of a run file in parts. */
export function runFileParts(saved: SavedRun): string[] {
  const curve = Curve.of(saved, fileCurve());
  const { checkpoint, metrics: _, downsampled: _before, ...rest } = saved;
  const state = { ...rest, ...(curve.downsampled ? { downsampled: curve.downsampled } : {}) };
  const checksum = new Checksum(state);
  const parts = [
    `${JSON.stringify({ format: FORMAT, formatVersion: FORMAT_VERSION, ...state }).slice(0, -1)},"metrics":[`,
  ];
  for (const [index, row] of curve.rows.entries()) {
    const text = JSON.stringify(row);
    checksum.add(text);
    parts.push(index === 0 ? text : `,${text}`);
  }
  const bytes = new Uint8Array(checkpoint);
  const crc = crc32(bytes);
  parts.push(`],"crc32":${crc},"checksum":${checksum.end(crc)},"checkpoint":"${toBase64(bytes)}"}`);
  return parts;
}

/** Checksum of the content of a file in its JSON representation, independent of the layout of the file. */
class Checksum {
  private crc = EMPTY_CRC;
  private readonly encoder = new TextEncoder();

  constructor({ configuration, step, events, downsampled }: Omit<SavedRun, 'metrics' | 'checkpoint'>) {
    this.add(JSON.stringify([configuration, step, events, downsampled ?? null]));
  }

  add(text: string): void {
    this.crc = continueCrc(this.crc, this.encoder.encode(`${text}\n`));
  }

  /**
   * Returns the checksum.
   * @param checkpoint checksum of the checkpoint's bytes
   */
  end(checkpoint: number): number {
    this.add(String(checkpoint));
    return endCrc(this.crc);
  }
}

/**
 * Reads the text of a run file.
 * @throws {StorageError} 'corrupt' with the error
 */
export function readRunFile(text: string): SavedRun {
  let file: Record<string, unknown>;
  try {
    file = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new StorageError('corrupt', 'it is not JSON, or it was cut off');
  }
  if (file?.format !== FORMAT) throw new StorageError('corrupt', 'it is not a file of a Turnwise run');
  if (file.formatVersion !== FORMAT_VERSION) {
    const version = JSON.stringify(file.formatVersion);
    throw new StorageError('corrupt', `its format version is ${version}, this page reads ${FORMAT_VERSION}`);
  }
  const { configuration, step, events, metrics, downsampled, checksum } = file;
  const bytes = fromBase64(file.checkpoint);
  if (crc32(bytes) !== file.crc32) throw new StorageError('corrupt', 'the checkpoint does not match its checksum');
  const saved = checkSavedRun({ configuration, step, events, metrics, downsampled, checkpoint: bytes.buffer });
  if (checksum !== checksumOf(file)) {
    throw new StorageError('corrupt', 'it was changed since it was written: its contents do not match its checksum');
  }
  return saved;
}

/** Computes the checksum of the content of a file as it was read, before the check converts values. */
function checksumOf(file: Readonly<Record<string, unknown>>): number {
  const checksum = new Checksum(file as unknown as SavedRun);
  for (const row of file.metrics as unknown[]) checksum.add(JSON.stringify(row));
  return checksum.end(file.crc32 as number);
}

function toBase64(bytes: Uint8Array): string {
  // String.fromCharCode receives the characters as arguments, and the number of arguments is limited.
  const chunk = 0x8000;
  const parts: string[] = [];
  for (let from = 0; from < bytes.length; from += chunk) {
    parts.push(String.fromCharCode(...bytes.subarray(from, from + chunk)));
  }
  return btoa(parts.join(''));
}

function fromBase64(text: unknown): Uint8Array<ArrayBuffer> {
  try {
    if (typeof text !== 'string') throw new TypeError('no text');
    const characters = atob(text);
    const bytes = new Uint8Array(characters.length);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
    return bytes;
  } catch {
    throw new StorageError('corrupt', 'the checkpoint is not base64');
  }
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** Computes the CRC-32 of zip and PNG files. */
export function crc32(bytes: Uint8Array): number {
  return endCrc(continueCrc(EMPTY_CRC, bytes));
}

function continueCrc(crc: number, bytes: Uint8Array): number {
  let next = crc;
  // A loop over indices is fast enough for a file of several hundred megabytes.
  for (let at = 0; at < bytes.length; at += 1) {
    next = (next >>> 8) ^ (CRC_TABLE[(next ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  }
  return next;
}

function endCrc(crc: number): number {
  return (crc ^ 0xffffffff) >>> 0;
}

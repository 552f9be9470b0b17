import type { SavedRun } from '../training/protocol.ts';
import { StorageError } from './runStore.ts';
import { checkSavedRun } from './savedRun.ts';

/** A run as a file: JSON, the checkpoint in base64, with a checksum over its bytes. */
const FORMAT = 'turnwise-run';
const FORMAT_VERSION = 1;

/** Writes a run as the text of a file. */
export function writeRunFile(saved: SavedRun): string {
  const { checkpoint, ...rest } = saved;
  const bytes = new Uint8Array(checkpoint);
  const file = {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    ...rest,
    crc32: crc32(bytes),
    checkpoint: toBase64(bytes),
  };
  return JSON.stringify(file);
}

/**
 * Reads the text of a file of a run.
 * @throws {StorageError} 'corrupt', saying what is wrong with it.
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
    const found = JSON.stringify(file.formatVersion);
    throw new StorageError('corrupt', `its format version is ${found}, this page reads ${FORMAT_VERSION}`);
  }
  const { configuration, step, events, metrics } = file;
  const bytes = fromBase64(file.checkpoint);
  if (crc32(bytes) !== file.crc32) throw new StorageError('corrupt', 'the checkpoint does not match its checksum');
  return checkSavedRun({ configuration, step, events, metrics, checkpoint: bytes.buffer });
}

function toBase64(bytes: Uint8Array): string {
  // String.fromCharCode takes its characters as arguments, of which there may not be too many.
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
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw new StorageError('corrupt', 'the checkpoint is not base64');
  }
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** CRC-32 as in zip and PNG files. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}

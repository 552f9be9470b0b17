import { type Recording, readRecording } from '../../storage/recordingFile.ts';
import { strings } from '../strings/strings.ts';

/** Where the recording of a preset lies, from the page. */
function recordingPath(preset: string): string {
  return `recordings/${preset}.recording`;
}

/**
 * Loads the recording of a preset.
 * @throws {Error} naming the file and the reason, where it is missing or no recording
 */
export async function loadRecording(preset: string): Promise<Recording> {
  const path = recordingPath(preset);
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${response.statusText}`.trim());
  const bytes = new Uint8Array(await response.arrayBuffer());
  try {
    return readRecording(await textOf(bytes));
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`);
  }
}

/** Some hosts unpack what is packed already. */
async function textOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!packed) return new TextDecoder().decode(bytes);
  if (!('DecompressionStream' in globalThis)) throw new Error(strings.recording.oldBrowser);
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  try {
    return await new Response(unpacked).text();
  } catch {
    throw new Error(strings.recording.damaged);
  }
}

import type { Status } from '../../training/data/protocol.ts';
import { presetOf } from '../runs/naming.ts';
import type { RunController } from '../runs/runController.ts';

/** The name of the preset that the first run is, or of presets that are played beside one another. */
export function activePreset({ recordings, session, lanes }: RunController): string {
  const together = session.recorded && lanes.all.length > 1;
  return (together && recordings.playing?.recorded.name) || presetOf(session.model.link);
}

/** A recording is at its end, and nothing plays on. */
export function hasEnded({ recordings, session }: RunController): boolean {
  const { status, step } = session.model;
  return session.recorded && status === 'paused' && step >= (recordings.playing?.length ?? Infinity);
}

/** A run of these states has no device that can be exchanged. */
const BUSY: readonly Status[] = ['loading', 'warming', 'measuring', 'recovering', 'stopped'];

export function isBusy(status: Status): boolean {
  return BUSY.includes(status);
}

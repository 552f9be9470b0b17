import type { Status } from '../../training/data/protocol.ts';
import { writeUrl } from '../address/url.ts';
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

/**
 * Link that trains what a recording shows; empty where the browser cannot train. It names no engine: the run takes the
 * best one of this machine.
 */
export function trainingLink({ noWebgpu, session, lanes, url }: RunController): string {
  const [first, ...added] = [session.model.link, ...lanes.links].map(({ engine: _, ...link }) => link);
  return noWebgpu || !first ? '' : writeUrl(first, { ...url.view, recorded: false }, added);
}

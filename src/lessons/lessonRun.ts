import { EXACT, type RunConfiguration } from '../training/data/configuration.ts';
import { PRESETS, presetRun } from '../training/data/worlds.ts';
import type { LessonRun } from './lesson.ts';

/**
 * Returns the configuration of a lesson's run with seed 1. It uses the exact engine, so that curves of different users
 * can be compared.
 * @throws {Error} for an unknown preset
 */
export function lessonRun({
  preset,
  controls,
  schedule,
}: Pick<LessonRun, 'preset' | 'controls' | 'schedule'>): RunConfiguration {
  const known = PRESETS.find(({ name }) => name === preset);
  if (!known) throw new Error(`there is no preset "${preset}"`);
  const run = presetRun(known);
  return { ...run, engine: EXACT, controls: { ...run.controls, ...controls }, schedule };
}

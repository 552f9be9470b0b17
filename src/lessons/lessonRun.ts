import type { RunConfiguration } from '../training/data/configuration.ts';
import { PRESETS, presetRun } from '../training/data/presets.ts';
import type { LessonRun } from './lesson.ts';

/**
 * The configuration of a lesson's run, with seed 1.
 * @throws {Error} for a preset that there is not
 */
export function lessonRun({
  preset,
  controls,
  schedule,
}: Pick<LessonRun, 'preset' | 'controls' | 'schedule'>): RunConfiguration {
  const known = PRESETS.find(({ name }) => name === preset);
  if (!known) throw new Error(`there is no preset "${preset}"`);
  const run = presetRun(known);
  return { ...run, controls: { ...run.controls, ...controls }, schedule };
}

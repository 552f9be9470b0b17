import type { RunConfiguration } from '../training/data/configuration.ts';
import { PRESETS, presetRun } from '../training/data/presets.ts';
import type { LessonRun } from './lesson.ts';

/**
 * The configuration of a lesson's run, with seed 1.
 * @throws {Error} for a preset that there is not
 */
export function lessonRun({ preset, schedule }: Pick<LessonRun, 'preset' | 'schedule'>): RunConfiguration {
  const known = PRESETS.find(({ name }) => name === preset);
  if (!known) throw new Error(`there is no preset "${preset}"`);
  return { ...presetRun(known), schedule };
}

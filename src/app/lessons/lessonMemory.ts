import { LEVELS, type Level } from '../../lessons/lesson.ts';
import { SavedChoice } from '../look/savedChoice.ts';
import { isFullyDrawn, type Prediction } from './prediction.ts';

const level = new SavedChoice<Level>('turnwise-level', ['high-school', ...LEVELS]);

/** Returns the reading level that the user selected last, in any lesson. */
export const savedLevel = (): Level => level.value;
export const saveLevel = (chosen: Level): void => level.choose(chosen);

/** Returns the key under which the browser stores the prediction of a lesson. */
export const predictionKey = (lesson: string) => `turnwise-lesson-${lesson}`;

/** Returns the stored prediction in a lesson; undefined if there is no prediction, or if it cannot be read. */
export function savedPrediction(lesson: string): Prediction | undefined {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(predictionKey(lesson)) ?? 'null');
    const numbers =
      Array.isArray(saved) && saved.every((value) => typeof value === 'number' && value >= 0 && value <= 1);
    return numbers && isFullyDrawn(saved) ? saved : undefined;
  } catch {
    return undefined;
  }
}

export function savePrediction(lesson: string, prediction: Prediction): void {
  try {
    localStorage.setItem(predictionKey(lesson), JSON.stringify(prediction));
  } catch {
    // In a frame without storage, the prediction is lost when the page closes.
  }
}

import { Fields } from './fields.ts';

/**
 * Reads `measured.yaml`, measurements of the training of a lesson, the typical one first.
 * @returns seconds of the first measurement
 * @throws {LessonError} naming the field that is wrong
 */
export function readMeasured(file: string, text: string): number {
  const fields = Fields.of(file, text);
  const seconds = fields.list('measured').map((row) => {
    row.text('device');
    row.integer('cores', 1, 1000);
    row.number('load', 0, 10_000);
    const count = row.number('seconds', 0.1, 100_000);
    row.end();
    return count;
  });
  fields.end();
  const [first] = seconds;
  if (first === undefined) throw fields.wrong('measured', 'a list of at least one measurement');
  return first;
}

import { Fields } from './fields.ts';

/**
 * Reads `measured.yaml`, which has measured training times of a lesson. The first measurement is the typical one.
 * @returns time of the first measurement [s]
 * @throws {LessonError} with the invalid field
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

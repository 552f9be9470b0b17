import type { ProblemGenerator } from '../problemGenerator.ts';
import { measureDemonstrations } from './measure.ts';
import { recordProblems, recordsText } from './recordProblems.ts';
import { createRepairEnvironment } from './repairEnvironment.ts';
import { loadProblems } from './repairTasks.ts';

/** Problem generator of the repair environment. */
export const problemGenerator: ProblemGenerator = {
  async record(execute, seed, progress) {
    const records = await recordProblems(execute, seed, progress);
    return { file: recordsText(records), count: records.length };
  },
  async measure(execute, settings) {
    const problems = await loadProblems();
    return measureDemonstrations(createRepairEnvironment(settings, { execute, problems }), problems);
  },
};

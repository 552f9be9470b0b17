import { ParameterError } from '../../parameters/parameters.ts';
import type { ProblemGenerator } from '../problemGenerator.ts';
import { measureRepositories } from './measure.ts';
import { createRepoEnvironment } from './repoEnvironment.ts';
import { HELD_OUT, loadProblems, recordProblems, recordsText, TRAINING } from './repoTasks.ts';

/** Problem generator of the repository environment, for both kinds of problems. */
export const problemGenerator: ProblemGenerator = {
  async record(execute, seed, progress) {
    const each = TRAINING + HELD_OUT;
    const createRecords = (bugs: 'one' | 'two', before: number) =>
      recordProblems(execute, bugs, { seed, progress: (done) => progress(before + done, 2 * each) });
    const records = { one: await createRecords('one', 0), two: await createRecords('two', each) };
    return { file: recordsText(records), count: records.one.length + records.two.length };
  },
  /**
   * Measures both kinds of problems.
   * @throws {ParameterError} for any setting, because none selects a kind here
   */
  async measure(execute, settings) {
    const [unknown] = Object.keys(settings);
    if (unknown !== undefined)
      throw new ParameterError(unknown, `--${unknown}: not a setting of the repository environment`);
    const measure = async (bugs: 'one' | 'two') =>
      measureRepositories(createRepoEnvironment({ bugs }, { execute, problems: await loadProblems(bugs) }));
    return { one: await measure('one'), two: await measure('two') };
  },
};

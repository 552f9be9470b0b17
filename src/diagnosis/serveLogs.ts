import type { Group } from '../rollouts/forest.ts';
import { type ImportSettings, readUserFiles, type UserFile } from '../rollouts/import/userFiles.ts';
import type { Finding, GroupSignals } from './diagnosis.ts';
import { RunDiagnosis } from './runDiagnosis.ts';

/** Request of the page: files, and the settings of their import. */
export interface LogRequest {
  readonly files: readonly UserFile[];
  readonly settings?: ImportSettings;
}

/** Messages of the worker that reads logs. */
export type LogMessage =
  /** Groups with the signals that they are sorted by. */
  | { readonly kind: 'groups'; readonly groups: readonly Group[]; readonly signals: readonly GroupSignals[] }
  /** Lines of the import report, and the findings of the diagnosis. */
  | { readonly kind: 'done'; readonly report: readonly string[]; readonly findings: readonly Finding[] }
  | { readonly kind: 'refused'; readonly problem: string };

/** Part of a worker's message port that reading logs requires. */
export interface LogPort {
  postMessage(message: LogMessage): void;
  addEventListener(type: 'message', listen: (event: MessageEvent<LogRequest>) => void): void;
}

/** Maximum number of turns in a message. The page remains responsive while it receives a message of this size. */
const BATCH = 2000;

/** Reads and diagnoses the files of each request, and posts their groups in batches. */
export function serveLogs(port: LogPort): void {
  port.addEventListener('message', async ({ data }) => {
    const diagnosis = new RunDiagnosis();
    let groups: Group[] = [];
    let signals: GroupSignals[] = [];
    let turns = 0;
    const send = () => {
      if (groups.length > 0) port.postMessage({ kind: 'groups', groups, signals });
      groups = [];
      signals = [];
      turns = 0;
    };
    try {
      const see = (group: Group) => {
        groups.push(group);
        signals.push(diagnosis.see(group));
        turns += group.turns.length;
        if (turns >= BATCH) send();
      };
      const imported = await readUserFiles(data.files, see, data.settings);
      send();
      diagnosis.addUnscored(imported.unscored);
      port.postMessage({
        kind: 'done',
        report: imported.rows > 0 ? imported.lines() : [],
        findings: diagnosis.result().findings,
      });
    } catch (error) {
      // Only the message of the error is sent. Browsers produce their own messages, for example for a file that no
      // longer exists.
      port.postMessage({ kind: 'refused', problem: String((error as Error).message) });
    }
  });
}

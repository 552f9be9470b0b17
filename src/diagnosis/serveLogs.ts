import type { Group } from '../rollouts/forest.ts';
import type { ImportSettings } from '../rollouts/import/importSettings.ts';
import { readUserFiles, type UserFile } from '../rollouts/import/userFiles.ts';
import type { Finding } from './finding.ts';
import type { GroupSignals } from './groupSignals.ts';
import { RunDiagnosis } from './runDiagnosis.ts';

/** Request of the page: files, and the settings of their import. */
export interface LogRequest {
  readonly files: readonly UserFile[];
  readonly settings?: ImportSettings;
}

/** Messages of the worker that reads logs. */
export type LogMessage =
  /** Groups, and the signals by which each of them is sorted. */
  | { readonly kind: 'groups'; readonly groups: readonly Group[]; readonly signals: readonly GroupSignals[] }
  /** The report of logs, line by line, and the findings of the doctor. */
  | { readonly kind: 'done'; readonly report: readonly string[]; readonly findings: readonly Finding[] }
  | { readonly kind: 'refused'; readonly problem: string };

/** The side of a worker, as far as reading logs needs it. */
export interface LogPort {
  postMessage(message: LogMessage): void;
  addEventListener(type: 'message', listen: (event: MessageEvent<LogRequest>) => void): void;
}

/** Turns of a message: few enough that the page stays responsive while it receives one. */
const BATCH = 2000;

/** Reads and diagnoses the files of each message, and posts their groups in batches. */
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
      // The browser has separate messages for other errors, for example a file that no longer exists.
      port.postMessage({ kind: 'refused', problem: String((error as Error).message) });
    }
  });
}

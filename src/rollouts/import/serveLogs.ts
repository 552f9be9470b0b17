import type { Group } from '../forest.ts';
import type { ImportSettings } from './importSettings.ts';
import { readUserFiles, type UserFile } from './userFiles.ts';

/** Request of the page: files, and the settings of their import. */
export interface LogRequest {
  readonly files: readonly UserFile[];
  readonly settings?: ImportSettings;
}

/** Messages of the worker that reads logs. */
export type LogMessage =
  | { readonly kind: 'groups'; readonly groups: readonly Group[] }
  /** The report of logs, line by line. */
  | { readonly kind: 'done'; readonly report: readonly string[] }
  | { readonly kind: 'refused'; readonly problem: string };

/** The side of a worker, as far as reading logs needs it. */
export interface LogPort {
  postMessage(message: LogMessage): void;
  addEventListener(type: 'message', listen: (event: MessageEvent<LogRequest>) => void): void;
}

/** Turns of a message: few enough that the page stays responsive while it receives one. */
const BATCH = 2000;

/** Reads the files of each message, and posts their groups in batches. */
export function serveLogs(port: LogPort): void {
  port.addEventListener('message', async ({ data }) => {
    let groups: Group[] = [];
    let turns = 0;
    const send = () => {
      if (groups.length > 0) port.postMessage({ kind: 'groups', groups });
      groups = [];
      turns = 0;
    };
    try {
      const see = (group: Group) => {
        groups.push(group);
        turns += group.turns.length;
        if (turns >= BATCH) send();
      };
      const report = await readUserFiles(data.files, see, data.settings);
      send();
      port.postMessage({ kind: 'done', report });
    } catch (error) {
      // The browser has its own words for other errors, for example a file that is gone.
      port.postMessage({ kind: 'refused', problem: String((error as Error).message) });
    }
  });
}

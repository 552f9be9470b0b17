import type { Finding } from '../../diagnosis/finding.ts';
import type { GroupSignals } from '../../diagnosis/groupSignals.ts';
import type { LogMessage, LogRequest } from '../../diagnosis/serveLogs.ts';
import type { Group } from '../../rollouts/forest.ts';
import type { ImportSettings } from '../../rollouts/import/importSettings.ts';
import type { UserFile } from '../../rollouts/import/userFiles.ts';

/** Files of rollouts that were read to the end. */
export interface RolloutFile {
  readonly name: string;
  readonly groups: readonly Group[];
  /** Report of logs of trainers, line by line: columns and rows that were read or left out. */
  readonly report?: readonly string[];
  /** [groups]: numbers by which the groups are sorted; absent if the groups were not diagnosed. */
  readonly signals?: readonly GroupSignals[];
  /** Findings of the doctor. */
  readonly findings?: readonly Finding[];
}

/** A worker as far as reading needs it; a test brings its own. */
export interface LogWorker {
  postMessage(request: LogRequest): void;
  addEventListener(type: 'message', listen: (event: MessageEvent<LogMessage>) => void): void;
  addEventListener(type: 'error', listen: (event: ErrorEvent) => void): void;
  terminate(): void;
}

/**
 * Reads and diagnoses logs of trainers and files of groups in a worker that ends with the reading.
 * @param see is called with the number of groups that were read
 * @param settings of the import of logs
 * @throws {Error} naming the first thing that is wrong; also if the reading is aborted
 */
export function readRolloutFiles(
  files: readonly UserFile[],
  signal: AbortSignal,
  see: (groups: number) => void = () => {},
  worker: LogWorker = openWorker(),
  settings: ImportSettings = {},
): Promise<RolloutFile> {
  const groups: Group[] = [];
  const signals: GroupSignals[] = [];
  return new Promise<RolloutFile>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    worker.addEventListener('error', (event) => reject(new Error(event.message)));
    worker.addEventListener('message', ({ data }) => {
      if (data.kind === 'refused') reject(new Error(data.problem));
      else if (data.kind === 'done') {
        const { report, findings } = data;
        resolve({ name: nameOf(files), groups, report, signals, findings });
      } else {
        for (const group of data.groups) groups.push(group);
        for (const signal of data.signals) signals.push(signal);
        see(groups.length);
      }
    });
    worker.postMessage({ files, settings });
  }).finally(() => worker.terminate());
}

/** Returns the name of the only file, or the folder that all files are in, or the first name of several. */
export function nameOf(files: readonly UserFile[]): string {
  const [first] = files.map(({ path }) => path);
  if (files.length === 1) return first;
  const [folder, ...rest] = first.split('/');
  return rest.length > 0 && files.every(({ path }) => path.startsWith(`${folder}/`)) ? folder : `${first}, …`;
}

function openWorker(): LogWorker {
  // One expression, because Vite recognises only this form.
  return new Worker(new URL('../../../workers/logs.ts', import.meta.url), { type: 'module' });
}

import type { Finding } from '../../diagnosis/diagnosis.ts';
import type { GroupSignals } from '../../diagnosis/groupSignals.ts';
import type { LogMessage, LogRequest } from '../../diagnosis/serveLogs.ts';
import type { Group } from '../../rollouts/forest.ts';
import type { ImportSettings, UserFile } from '../../rollouts/import/userFiles.ts';

/** Groups of completely read files, with the diagnosis of the files. */
export interface RolloutFile {
  readonly name: string;
  readonly groups: readonly Group[];
  /** [lines] report about logs of trainers: columns and rows that were read or ignored. */
  readonly report?: readonly string[];
  /** [groups] values by which the groups are sorted; absent if the groups were not diagnosed. */
  readonly signals?: readonly GroupSignals[];
  /** Findings of the log diagnosis; absent if the groups were not diagnosed. */
  readonly findings?: readonly Finding[];
}

/** Part of the Worker interface that `readRolloutFiles` uses. A test can pass another implementation. */
export interface LogWorker {
  postMessage(request: LogRequest): void;
  addEventListener(type: 'message', listen: (event: MessageEvent<LogMessage>) => void): void;
  addEventListener(type: 'error', listen: (event: ErrorEvent) => void): void;
  terminate(): void;
}

/**
 * Reads and diagnoses logs of trainers and files of groups in a worker, which is terminated afterwards.
 * @param signal aborts the reading
 * @param see callback for progress, with the number of groups read so far
 * @param settings settings for the import of logs
 * @throws {Error} describing the first invalid entry of the files. If `signal` aborts, the promise rejects with its
 * reason
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

/**
 * Returns a name for files: the path of a single file, the common folder of several files, or the first path with "…".
 */
export function nameOf(files: readonly UserFile[]): string {
  const [first] = files.map(({ path }) => path);
  if (files.length === 1) return first;
  const [folder, ...rest] = first.split('/');
  return rest.length > 0 && files.every(({ path }) => path.startsWith(`${folder}/`)) ? folder : `${first}, …`;
}

function openWorker(): LogWorker {
  // Vite recognises a worker only in this form, as one expression.
  return new Worker(new URL('../../../workers/logs.ts', import.meta.url), { type: 'module' });
}

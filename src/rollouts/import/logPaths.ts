/** Files that can be logs, by their names. */
const LOGS = /\.(jsonl|ndjson|json|parquet|traj)(\.(gz|zst))?$/;
const ORDER = new Intl.Collator('en', { numeric: true });
/**
 * A chunk of a stream of prime-rl: numbered files of one log, Zstandard but the last one.
 * Source: PrimeIntellect-ai/prime-rl, src/prime_rl/monitors/file/traces/chunks.py (551bfc3).
 */
const CHUNK = /(?:^|[\\/])stream[\\/](\d{5})\.jsonl(\.zst)?$/;
/** Runs of SWE-agent, one a file. */
const TRAJECTORY = /\.traj(\.(gz|zst))?$/;

/** A log: a file, the chunks of a stream in their order, or trajectories. */
export interface LogPath {
  /** Path of the file, of the folder of the stream, or of the folder of the first trajectory. */
  readonly path: string;
  readonly parts: readonly string[];
}

/** True for a database of SQLite by its name, as Trackio gives it. */
export function isDatabasePath(path: string): boolean {
  return /\.(db|sqlite3?)$/.test(path);
}

/** True for a chunk of a stream of prime-rl. */
export function isChunk(path: string): boolean {
  return CHUNK.test(path);
}

/** True for a run of SWE-agent. */
export function isTrajectoryPath(path: string): boolean {
  return TRAJECTORY.test(path);
}

/** Returns the files of a folder that are logs, numbers in names by value: 9 before 10. */
export function logsInFolder(paths: readonly string[]): readonly string[] {
  const files = paths.filter((path) => LOGS.test(path)).sort(ORDER.compare);
  return withoutPacked(withoutMetrics(withoutIndexes(files)), isChunk);
}

/** Joins chunks of a stream, and all trajectories, to one log each. */
export function joinParts(paths: readonly string[]): readonly LogPath[] {
  const logs = new Map<string, string[]>();
  for (const path of paths) {
    const key = isChunk(path) ? folderOf(path) : isTrajectoryPath(path) ? 'trajectories' : path;
    // A file that is given twice is read twice.
    if (key === path) logs.set(`${logs.size} ${path}`, [path]);
    else logs.set(key, [...(logs.get(key) ?? []), path]);
  }
  return [...logs.values()].map((parts) => {
    const [path] = parts;
    return { path: parts.length > 1 || isChunk(path) ? folderOf(path) || path : path, parts };
  });
}

/**
 * Leaves out the files that are written about a log: metrics, indexes and annotations of prime-rl in `monitors/file/`, and
 * `results.json` and `preds.json` of SWE-agent in the folder of a trajectory or above it.
 */
function withoutIndexes(files: readonly string[]): readonly string[] {
  const monitors = new Set(files.filter(isChunk).map((path) => folderOf(folderOf(folderOf(path)))));
  const runs = new Set(files.filter(isTrajectoryPath).flatMap((path) => [folderOf(path), folderOf(folderOf(path))]));
  return files.filter((path) => {
    if (/^(results|preds)\.json$/.test(nameOf(path)) && runs.has(folderOf(path))) return false;
    return isChunk(path) || ![...monitors].some((folder) => folder === '' || /^[\\/]/.test(rest(path, folder)));
  });
}

/**
 * Leaves out metrics, transcripts and settings in a run of tinker-cookbook: the files next to its rollout summaries and above them.
 * Source: thinking-machines-lab/tinker-cookbook (9dfcc3a), tinker_cookbook/rl/rollout_logging.py, `rollout_summaries_jsonl_path`.
 */
function withoutMetrics(files: readonly string[]): readonly string[] {
  const isSummary = (path: string) => /_rollout_summaries\.jsonl(\.(gz|zst))?$/.test(path);
  const runs = new Set(files.filter(isSummary).flatMap((path) => [folderOf(path), folderOf(folderOf(path))]));
  return files.filter((path) => isSummary(path) || !runs.has(folderOf(path)));
}

/** Returns a path inside a folder from its separator on; empty for a path elsewhere. */
function rest(path: string, folder: string): string {
  return path.startsWith(folder) ? path.slice(folder.length) : '';
}

/** Leaves out a compressed chunk if its plain file still exists. */
function withoutPacked(files: readonly string[], isPart: (path: string) => boolean): readonly string[] {
  const all = new Set(files);
  return files.filter((path) => !(isPart(path) && path.endsWith('.zst') && all.has(path.slice(0, -4))));
}

/** Returns the folder of the annotations of a chunk's stream. */
export function annotationsFolder(chunk: string): string {
  const traces = folderOf(folderOf(chunk));
  return traces === '' ? 'annotations' : `${traces}/annotations`;
}

/** Returns the chunks of annotations among the files of their folder: a folder a producer, with numbered files. */
export function annotationChunks(paths: readonly string[]): readonly string[] {
  const chunks = paths.filter((path) => /[\\/]\d{5}\.jsonl(\.zst)?$/.test(path)).sort(ORDER.compare);
  return withoutPacked(chunks, () => true);
}

/** Returns the paths at which the evaluation of a trajectory can be: its folder, and the folder above it. */
export function resultsOf(path: string): readonly string[] {
  const folder = folderOf(path);
  return [folder, folderOf(folder)].map((parent) => (parent === '' ? 'results.json' : `${parent}/results.json`));
}

/**
 * Returns the training step in a path: `step_12` or `global_step_12` as a folder or in a name, `12.jsonl`, `completions_00012.parquet`.
 * Numbers of chunks and of instances of SWE-agent are no steps.
 */
export function stepInPath(path: string): number | undefined {
  if (isChunk(path) || isTrajectoryPath(path)) return undefined;
  const base = nameOf(path).replace(/\.(gz|zst)$/, '');
  const name = /^(?:.*[_-])?(\d+)\.\w+$/.exec(base);
  const folder = folderOf(path)
    .split(/[\\/]/)
    .reverse()
    .flatMap((part) => /^(?:\w*_)?step[_-]?(\d+)$/i.exec(part)?.[1] ?? []);
  const inName = /step[_-]?(\d+)/i.exec(base);
  const step = inName?.[1] ?? folder[0] ?? name?.[1];
  return step === undefined ? undefined : Number(step);
}

/** Returns the folder of a path; empty for a path without one. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, separatorIn(path)));
}

function nameOf(path: string): string {
  return path.slice(separatorIn(path) + 1);
}

function separatorIn(path: string): number {
  return Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
}

/** Pattern of file names that can be logs. */
const LOGS = /\.(jsonl|ndjson|json|parquet|traj)(\.(gz|zst))?$/;
const ORDER = new Intl.Collator('en', { numeric: true });
/**
 * Path of a chunk of a prime-rl stream. A stream is one log in numbered files, compressed (Zstandard) except the last.
 * Source: PrimeIntellect-ai/prime-rl, src/prime_rl/monitors/file/traces/chunks.py (551bfc3).
 */
const CHUNK = /(?:^|[\\/])stream[\\/](\d{5})\.jsonl(\.zst)?$/;
/** Path of a SWE-agent trajectory, one run per file. */
const TRAJECTORY = /\.traj(\.(gz|zst))?$/;

/** Log of one or several files: a single file, the chunks of a stream in their order, or all trajectories. */
export interface LogPath {
  /** Path of the file, or of the folder of the stream or of the first trajectory. */
  readonly path: string;
  readonly parts: readonly string[];
}

/** Returns true if a path has the extension of a SQLite database, as Trackio writes it. */
export function isDatabasePath(path: string): boolean {
  return /\.(db|sqlite3?)$/.test(path);
}

/** Returns true if a path is a chunk of a prime-rl stream. */
export function isChunk(path: string): boolean {
  return CHUNK.test(path);
}

/** Returns true if a path is a SWE-agent trajectory. */
export function isTrajectoryPath(path: string): boolean {
  return TRAJECTORY.test(path);
}

/** Returns the logs among the files of a folder. Numbers in names are sorted by value: 9 before 10. */
export function logsInFolder(paths: readonly string[]): readonly string[] {
  const files = paths.filter((path) => LOGS.test(path)).sort(ORDER.compare);
  return withoutPacked(withoutMetrics(withoutIndexes(files)), isChunk);
}

/** Groups paths into logs: the chunks of a stream are one log, and all trajectories are one log. */
export function joinParts(paths: readonly string[]): readonly LogPath[] {
  const logs = new Map<string, string[]>();
  for (const path of paths) {
    const key = isChunk(path) ? folderOf(path) : isTrajectoryPath(path) ? 'trajectories' : path;
    // A path that occurs twice is read twice.
    if (key === path) logs.set(`${logs.size} ${path}`, [path]);
    else logs.set(key, [...(logs.get(key) ?? []), path]);
  }
  return [...logs.values()].map((parts) => {
    const [path] = parts;
    return { path: parts.length > 1 || isChunk(path) ? folderOf(path) || path : path, parts };
  });
}

/**
 * Removes files that accompany a log. For prime-rl, these are metrics, indexes and annotations in `monitors/file/`. For
 * SWE-agent, these are `results.json` and `preds.json` in the folder of a trajectory or its parent.
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
 * Removes metrics, transcripts and settings of a tinker-cookbook run: the other files in the folder of its rollout
 * summaries and in the parent folder.
 * Source: thinking-machines-lab/tinker-cookbook (9dfcc3a), tinker_cookbook/rl/rollout_logging.py,
 * `rollout_summaries_jsonl_path`.
 */
function withoutMetrics(files: readonly string[]): readonly string[] {
  const isSummary = (path: string) => /_rollout_summaries\.jsonl(\.(gz|zst))?$/.test(path);
  const runs = new Set(files.filter(isSummary).flatMap((path) => [folderOf(path), folderOf(folderOf(path))]));
  return files.filter((path) => isSummary(path) || !runs.has(folderOf(path)));
}

/** Returns the part of a path after its folder, from the separator on; empty if the path is not in the folder. */
function rest(path: string, folder: string): string {
  return path.startsWith(folder) ? path.slice(folder.length) : '';
}

/** Removes compressed chunks whose uncompressed file still exists. */
function withoutPacked(files: readonly string[], isPart: (path: string) => boolean): readonly string[] {
  const all = new Set(files);
  return files.filter((path) => !(isPart(path) && path.endsWith('.zst') && all.has(path.slice(0, -4))));
}

/** Returns the path of the annotations folder of a stream. @param chunk path of a chunk of the stream */
export function annotationsFolder(chunk: string): string {
  const traces = folderOf(folderOf(chunk));
  return traces === '' ? 'annotations' : `${traces}/annotations`;
}

/** Returns the annotation chunks among the files of their folder. Each producer has a subfolder with numbered files. */
export function annotationChunks(paths: readonly string[]): readonly string[] {
  const chunks = paths.filter((path) => /[\\/]\d{5}\.jsonl(\.zst)?$/.test(path)).sort(ORDER.compare);
  return withoutPacked(chunks, () => true);
}

/** Returns possible paths of a trajectory's evaluation: `results.json` in its folder and in the parent folder. */
export function resultsOf(path: string): readonly string[] {
  const folder = folderOf(path);
  return [folder, folderOf(folder)].map((parent) => (parent === '' ? 'results.json' : `${parent}/results.json`));
}

/**
 * Returns the training step in a path, or undefined. It can be a folder or part of a name (`step_12`, `global_step_12`)
 * or a number at the end of a name (`12.jsonl`, `completions_00012.parquet`). Numbers of prime-rl chunks and SWE-agent
 * instances are not steps.
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

/** Returns the folder of a path; empty for a path without a folder. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, separatorIn(path)));
}

function nameOf(path: string): string {
  return path.slice(separatorIn(path) + 1);
}

function separatorIn(path: string): number {
  return Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Start and duration [µs]. */
  readonly ts: number;
  readonly dur?: number;
  /** Processor time [µs]. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Task of the main thread of the page. */
export interface Task {
  /** Elapsed time [ms]. */
  readonly duration: number;
  /** Processor time [ms], without other processes of the machine. */
  readonly processor: number;
  /** Time of events without the events within them, by name [ms]. */
  readonly parts: ReadonlyMap<string, number>;
}

const TASK = 'ThreadControllerImpl::RunTask';

/** Returns the tasks of the main thread of the page in a trace of Chromium, in order. */
export function mainThreadTasks(trace: Buffer): readonly Task[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const mains = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const threads = mains.map(({ pid, tid }) =>
    traceEvents.filter((event) => event.pid === pid && event.tid === tid && event.ph === 'X'),
  );
  // Chromium keeps idle renderers in reserve; the page has the busiest renderer.
  const busy = (events: readonly TraceEvent[]) =>
    events.reduce((sum, { name, tdur }) => sum + (name === TASK ? (tdur ?? 0) : 0), 0);
  const [events = []] = threads.sort((a, b) => busy(b) - busy(a));
  return tasksOf(events.toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0)));
}

function tasksOf(events: readonly TraceEvent[]): readonly Task[] {
  const tasks: { duration: number; processor: number; parts: Map<string, number> }[] = [];
  let open: { readonly name: string; readonly end: number }[] = [];
  for (const { name, ts, dur = 0, tdur = 0 } of events) {
    open = open.filter(({ end }) => end > ts);
    if (name === TASK && open.length === 0)
      tasks.push({ duration: dur / 1000, processor: tdur / 1000, parts: new Map() });
    else if (open.length === 0) continue;
    const { parts } = tasks[tasks.length - 1];
    const add = (part: string, time: number) => parts.set(part, (parts.get(part) ?? 0) + time / 1000);
    add(name, dur);
    const around = open.at(-1);
    if (around) add(around.name, -dur);
    open.push({ name, end: ts + dur });
  }
  return tasks;
}

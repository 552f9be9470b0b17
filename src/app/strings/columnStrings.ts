/** Notes at the top of the CSV file of curves. src/metrics has the units and meanings of its columns. */
export const columnNotes = {
  title: "Turnwise, curves of a run. Lines that begin with # are notes (pandas: read_csv(file, comment='#')).",
  run: (description: string) => `Run: ${description}`,
  ofRun: (number: number, note: string) => `Run ${number}. ${note}`,
  runColumn: 'run: the number of the run, from 1',
  link: (query: string) => `Link: ${query}`,
  settings: (values: string) => `Environment settings: ${values}`,
  controls: (values: string) => `Controls at step 0: ${values}`,
  change: (step: number, text: string) => `Step ${step}: ${text}`,
  downsampled: (every: number, before: number) =>
    `Before step ${before}, this file has about one update in ${every}, because the others were not stored.`,
  column: (name: string, unit: string, meaning: string) => (unit ? `${name} [${unit}]: ${meaning}` : name),
  heldOut: (help: string) => `${help} On tasks that are never trained on; empty where not measured.`,
} as const;

/** Parts of the sentence about a run. */
export const sentenceStrings = {
  shared: 'all turns get the same credit',
  separate: 'each turn earns its own credit',
  since: (rule: string, step: number) => `${rule} since update ${step}`,
  credit: (subject: string, credit: string) => `${subject}: ${credit}.`,
  idea: (rule: string, idea: string) => `${rule}: ${idea.charAt(0).toLowerCase()}${idea.slice(1)}`,
  figure: (label: string, value: string) => `${label}: ${value}.`,
  press: (rule: string) => `Now press ${rule}.`,
} as const;

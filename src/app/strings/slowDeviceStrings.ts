/** Texts of the note about a slow device. */
export const slowDeviceStrings = {
  rate: (updates: string) => `${updates} updates/s here.`,
  batches: 'Smaller batches',
  batchesHelp: 'Trains with 4 questions an update, 2 to 3 times as fast',
  recorded: 'Recorded runs',
} as const;

/** Texts of the controls for the pace of a run and for the keys. */
export const paceStrings = {
  label: 'Speed',
  help: 'Maximum number of updates a second. It does not change the result.',
  perSecond: (updates: number) => (updates === 1 ? '1 update/s' : `${updates} updates/s`),
  fastest: 'unlimited',
  slower: (rate: string) => `this device: ${rate} updates/s`,
  keys: {
    label: 'Keys: space, →, 1 to 9',
    help: 'Space plays and pauses, → does one update, 1 to 9 select a rule: the rules of the switch, then the rules of its menu.',
  },
};

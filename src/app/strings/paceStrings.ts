/** How fast a run goes, and which keys steer it. */
export const paceStrings = {
  label: 'Pace',
  help: 'Most updates a second while the run plays. A slow run can be watched; a fast one is over sooner. It changes nothing else.',
  perSecond: (updates: number) => (updates === 1 ? '1 update a second' : `${updates} updates a second`),
  fastest: 'as fast as it goes',
  slower: (rate: string) => `this device does ${rate} a second`,
  keys: {
    label: 'Keys: space, →, 1 to 9',
    help: 'Space plays and pauses, → does one update, 1 to 9 choose a rule: first those of the switch, then those of its menu.',
  },
};

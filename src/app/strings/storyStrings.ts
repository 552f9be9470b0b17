/** Texts of the guided tour. */
export const storyStrings = {
  label: 'Guided tour',
  next: 'Next',
  stop: 'End tour',
  number: (scene: number, scenes: number) => `${scene} of ${scenes}`,
} as const;

import { pcg4d } from '../../random/counter.ts';
import type { Site, Template } from './template.ts';

/** Errors in the programs of the warm start: fixed properties of a family's sites, not of one demonstration. */

/**
 * Shape of the probabilities of right options. `sharp`: nearly always right or nearly always wrong, so that groups are
 * often degenerate, as with large models. `flat`: anywhere from .35 to .97, and of hidden conventions one reading has
 * .6 to .9.
 */
export type PriorShape = 'sharp' | 'flat';

/** [sites][options]: probabilities of a demonstration's choices. */
export type Prior = readonly (readonly number[])[];

/**
 * The prior of a problem. Sites with the same place in the same family share it, whatever numbers the problem has in
 * them.
 * @param world draws it (setting worldSeed)
 */
export function sitePriors(family: string, { sites }: Template, shape: PriorShape = 'sharp', world = 0): Prior {
  const uniform = uniformIn(world);
  return sites.map((site, index) =>
    site.hidden ? hiddenPrior(uniform, family, index, site, shape) : plainPrior(uniform, family, index, site, shape),
  );
}

/** The demonstrator's chance to repair a wrong site when it sees any failure: .15 to .70. */
export function repairSkill(family: string, index: number, { options }: Site, world = 0): number {
  return 0.15 + 0.55 * uniformIn(world)('repair', family, index, nameSlot(options[0]));
}

/** Without the prompt's help one reading dominates, the same for all problems of the family. */
function hiddenPrior(
  uniformOf: Uniform,
  family: string,
  index: number,
  { options }: Site,
  shape: PriorShape,
): number[] {
  const sorted = options.toSorted();
  const top = sorted[Math.floor(uniformOf('convention', family, index, ...sorted) * sorted.length)];
  const drawn = uniformOf('convention share', family, index);
  const share = shape === 'sharp' ? 0.93 + 0.05 * drawn : 0.6 + 0.3 * drawn;
  return options.map((option) => (option === top ? share : (1 - share) / (options.length - 1)));
}

function plainPrior(uniformOf: Uniform, family: string, index: number, { options }: Site, shape: PriorShape): number[] {
  const slot = nameSlot(options[0]);
  const right = rightShare(shape, uniformOf('kind', family, index, slot), uniformOf('share', family, index, slot));
  if (options.length === 2) return [right, 1 - right];
  const first = 0.6 + 0.3 * uniformOf('first bug', family, index);
  const remaining = options.length - 2;
  return options.map((_, option) => {
    if (option === 0) return right;
    return (1 - right) * (option === 1 ? first : (1 - first) / remaining);
  });
}

/** 68 % of sites are nearly always right, 8 % anything, 24 % a bug that is nearly always made. */
function rightShare(shape: PriorShape, kind: number, share: number): number {
  if (shape === 'flat') return 0.35 + 0.62 * kind;
  if (kind < 0.68) return 0.985 + 0.012 * share;
  return kind < 0.76 ? 0.35 + 0.5 * share : 0.01 + 0.05 * share;
}

/** Long options carry the problem's own numbers and texts, which say nothing about the site. */
function nameSlot(option: string): string {
  return option.length < 3 ? option : '';
}

/** A uniform number in [0, 1) that depends on words, and on the world, alone. */
type Uniform = (...terms: readonly (string | number)[]) => number;

/** World 0 is what there was before worlds had numbers: the words alone. */
function uniformIn(world: number): Uniform {
  return world === 0 ? uniformOf : (...terms) => uniformOf(`world ${world}`, ...terms);
}

function uniformOf(...terms: readonly (string | number)[]): number {
  // FNV-1a, then mixed: neighbouring words must not give neighbouring numbers.
  let hash = 0x811c9dc5;
  for (const character of terms.join('\u0000')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return pcg4d(hash, 0, 0, 0)[0] / 2 ** 32;
}

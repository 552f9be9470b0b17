import type { Forest, Group } from '../rollouts/forest.ts';
import { type Chain, chains } from './chains.ts';
import type { Extent, Segmentation } from './stage.ts';

/** A trajectory of the whole batch: turn indices count over the forest. */
export interface BatchChain extends Chain {
  readonly group: number;
}

/**
 * One batch as the GPU's arrays see it. Trajectories are worked out when something first asks for them, so trees pass
 * through to the rules that can read trees, and every list is built once a batch.
 */
export class ForestView {
  private chainsMade: readonly BatchChain[] | undefined;
  private readonly listsMade = new Map<Segmentation, readonly (readonly number[])[]>();

  constructor(readonly forest: Forest) {}

  get groups(): number {
    return this.forest.ids.length;
  }

  get turns(): number {
    return this.forest.parent.length;
  }

  /** All trajectories, group by group. @throws {CreditError} as chains() does, naming group and turn. */
  get chains(): readonly BatchChain[] {
    this.chainsMade ??= Array.from({ length: this.groups }, (_, group) => this.chainsOf(group)).flat();
    return this.chainsMade;
  }

  /** @throws {CreditError} for 'trajectories' where a group branches. */
  count(extent: Extent): number {
    if (extent === 'trajectories') return this.chains.length;
    return extent === 'turns' ? this.turns : this.groups;
  }

  lists(segmentation: Segmentation): readonly (readonly number[])[] {
    let lists = this.listsMade.get(segmentation);
    if (!lists) {
      lists = segmentation.lists(this);
      this.listsMade.set(segmentation, lists);
    }
    return lists;
  }

  private chainsOf(group: number): readonly BatchChain[] {
    const start = this.forest.groupOffset[group];
    return chains(groupAt(this.forest, group)).map(({ turns, outcome }) => {
      return { group, outcome, turns: turns.map((turn) => start + turn) };
    });
  }
}

/** Group g of a forest, with what the arrays keep of its turns. */
export function groupAt(forest: Forest, g: number): Group {
  const start = forest.groupOffset[g];
  const turns = Array.from({ length: forest.groupOffset[g + 1] - start }, (_, index) => {
    const turn = start + index;
    const parent = forest.parent[turn] < 0 ? -1 : forest.parent[turn] - start;
    const outcome = forest.outcome[turn];
    return { parent, reward: forest.reward[turn], ...(Number.isNaN(outcome) ? {} : { outcome }) };
  });
  return { id: forest.ids[g], turns };
}

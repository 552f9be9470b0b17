import type { LocatedRow, RowLocation, RowSource } from './logFile.ts';
import type { LogRow } from './row.ts';

/** Rows of a small file, cached after the first pass. Parsing takes most of the time of an import. */
export class CachedRows implements RowSource {
  private readonly cache = new Map<number, LogRow>();

  constructor(private readonly source: RowSource) {}

  get floats(): ReadonlySet<string> | undefined {
    return this.source.floats;
  }

  async *rows(): AsyncGenerator<LocatedRow> {
    for await (const row of this.source.rows()) {
      this.cache.set(row.at.number, row.row);
      yield row;
    }
  }

  async at(position: RowLocation): Promise<LogRow> {
    return this.cache.get(position.number) ?? this.source.at(position);
  }
}

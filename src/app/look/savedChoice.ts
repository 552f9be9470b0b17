/** A choice of the user that applies to all runs. It is stored in the browser if the browser allows that. */
export class SavedChoice<Value extends string> {
  private chosen: Value | undefined;

  /** @param key in the browser's storage @param options the first one holds until another is chosen */
  constructor(
    private readonly key: string,
    private readonly options: readonly [Value, ...Value[]],
  ) {}

  get value(): Value {
    this.chosen ??= this.options.find((option) => option === this.stored()) ?? this.options[0];
    return this.chosen;
  }

  choose(value: Value): void {
    this.chosen = value;
    try {
      localStorage.setItem(this.key, value);
    } catch {
      // A frame without storage: the choice holds until the page is closed.
    }
  }

  private stored(): string | null {
    try {
      return localStorage.getItem(this.key);
    } catch {
      return null;
    }
  }
}

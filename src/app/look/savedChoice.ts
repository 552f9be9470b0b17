/** Setting of the user that applies to all runs. The browser stores it if storage is available. */
export class SavedChoice<Value extends string> {
  private chosen: Value | undefined;

  /**
   * @param key key in the local storage of the browser
   * @param options allowed values; the first one is the default
   */
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
      // In a frame without storage, the value is lost when the page closes.
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

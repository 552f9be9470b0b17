/** The runs that the visitor chose, numbered: of those that came to something the last one stands. */
export class Choices {
  /** The last one that came to something. */
  last = 0;
  private asked = 0;

  /** The visitor chose a run that is there at once. */
  make(): void {
    this.last = ++this.asked;
  }

  /**
   * The visitor chose a run that storage or a file has to give first, and may refuse, which changes no other choice.
   * @returns asked once, when the run is there: whether no later choice came to something; it is the last one then
   */
  ask(): () => boolean {
    const own = ++this.asked;
    return () => {
      if (own < this.last) return false;
      this.last = own;
      return true;
    };
  }
}

import { css, type ReactiveController, type ReactiveControllerHost } from 'lit';

/** Looks of a place to drop files on (`drop`, `over`), of the field in it (`choose`), and of what is said of a refused one. */
export const fileDropStyles = css`
  .drop { display: flex; flex-wrap: wrap; gap: 0.375rem 0.75rem; align-items: center;
    border: 1.5px dashed var(--line-2); border-radius: 8px; font-size: 0.875rem; }
  .drop.over { border-color: var(--accent); border-style: solid; background: var(--hover); }
  .choose { position: relative; }
  .choose input { position: absolute; inset: 0; width: 100%; opacity: 0; cursor: pointer; }
  .choose:focus-within { outline: 2px solid var(--focus); outline-offset: 2px; }
  .alert { margin-top: 0.5rem; padding: 0.5rem 0.75rem; border: 1px solid var(--bad); border-radius: 6px;
    background: var(--bad-ground); color: var(--bad); font-size: 0.875rem; overflow-wrap: anywhere; }
  .alert span { color: var(--ink); }
`;

/** Files that are dropped on an element or chosen in its field, one at a time. */
export class FileDrop implements ReactiveController {
  /** A file hangs over the element. */
  over = false;

  /** @param take gets the first of the files that were given */
  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly take: (file: File) => void,
  ) {
    host.addController(this);
  }

  hostConnected(): void {}

  readonly choose = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    if (file) this.take(file);
    // The same file may be chosen again, mended.
    input.value = '';
  };

  readonly drop = (event: DragEvent): void => {
    event.preventDefault();
    this.hover(false);
    const [file] = event.dataTransfer?.files ?? [];
    if (file) this.take(file);
  };

  readonly drag = (event: DragEvent): void => {
    event.preventDefault();
    this.hover(true);
  };

  readonly leave = (): void => this.hover(false);

  private hover(over: boolean): void {
    if (over === this.over) return;
    this.over = over;
    this.host.requestUpdate();
  }
}

import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Files that are dropped on an element or chosen in its field, several at a time. */
export class FilesDrop implements ReactiveController {
  /** Files hang over the element. */
  over = false;

  /** @param onFiles gets the files that were given */
  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly onFiles: (files: readonly File[]) => void,
  ) {
    host.addController(this);
  }

  hostConnected(): void {}

  readonly choose = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    this.readFiles(input.files);
    // The same files may be chosen again after a correction.
    input.value = '';
  };

  readonly drop = (event: DragEvent): void => {
    event.preventDefault();
    this.hover(false);
    this.readFiles(event.dataTransfer?.files);
  };

  readonly drag = (event: DragEvent): void => {
    event.preventDefault();
    this.hover(true);
  };

  readonly leave = (): void => this.hover(false);

  private readFiles(files: FileList | null | undefined): void {
    if (files && files.length > 0) this.onFiles([...files]);
  }

  private hover(over: boolean): void {
    if (over === this.over) return;
    this.over = over;
    this.host.requestUpdate();
  }
}

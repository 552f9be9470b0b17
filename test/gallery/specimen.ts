import type { LitElement, TemplateResult } from 'lit';

/** States that an element is shown in. */
export type State = 'usual' | 'empty' | 'full' | 'error' | 'disabled';

/** One element in one state. */
export interface Specimen {
  readonly state: State;
  /** Difference from other specimens in the same state. */
  readonly note?: string;
  readonly content: () => TemplateResult;
  /** Action on the element after it is drawn: opens something, or passes a file. */
  readonly act?: (element: LitElement) => void;
  /** Reason why the specimen loads much data; it is then drawn only on request. */
  readonly onDemand?: string;
}

/** Specimens of a folder of src/app, by the name of the element. */
export type Specimens = Readonly<Record<string, readonly Specimen[]>>;

/** Opens everything that is folded in an element's own shadow tree. */
export function unfold(element: LitElement): void {
  for (const summary of element.renderRoot.querySelectorAll<HTMLElement>('details:not([open]) > summary'))
    summary.click();
}

/** Presses the buttons of an element's own shadow tree that fit a selector. */
export function press(selector: string): (element: LitElement) => void {
  return (element) => {
    for (const button of element.renderRoot.querySelectorAll<HTMLElement>(selector)) button.click();
  };
}

/** Gives an element a file as if it were dropped on it. */
export function dropFile(name: string, text: string): (element: LitElement) => void {
  return (element) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name));
    element.renderRoot.querySelector('.drop')?.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
  };
}

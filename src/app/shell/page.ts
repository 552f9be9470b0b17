import { html, LitElement, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { PlaceController } from '../address/placeController.ts';
import { ThemeController } from '../look/themeController.ts';
import { placeStrings } from '../strings/placeStrings.ts';
import { strings } from '../strings/strings.ts';
import './placeLinks.ts';
import './turnwiseApp.ts';

/**
 * The page with its places. A place is made when it is first come to and stays, so that a run goes on and nothing that was opened is
 * lost while the visitor is elsewhere. It has no shadow tree, and each place is an element of the document.
 */
@customElement('tw-page')
export class Page extends LitElement {
  private readonly places = new PlaceController(this, () => this.arrive());
  /** The colours are those of every place. */
  protected readonly theme = new ThemeController(this);
  private played = false;
  private taught = false;
  @state() private loading: 'no' | 'yes' | 'done' | { readonly failed: string } = 'no';
  private readonly embed = new URLSearchParams(location.search).has('embed');

  protected override createRenderRoot(): this {
    return this;
  }

  protected override render() {
    const { place, path } = this.places.at;
    const [play, learn] = [place === 'play' || place === 'inspect', place === 'learn'];
    this.played ||= play;
    this.taught ||= learn;
    if (this.taught && this.loading === 'no') void this.load();
    // A course page that shows a run without a word of places goes on to show the run alone.
    const links = !this.embed || this.places.named;
    return html`${links ? html`<tw-places .place=${place}></tw-places>` : nothing}
      ${this.played ? html`<tw-app ?hidden=${!play} ?alone=${!links} .place=${place === 'inspect' ? 'inspect' : 'play'}></tw-app>` : nothing}
      ${this.taught ? html`<div ?hidden=${!learn}>${this.lessons(path)}</div>` : nothing}`;
  }

  protected override firstUpdated(): void {
    const title = placeStrings.titles[this.places.at.place];
    if (title !== undefined) document.title = title;
  }

  private lessons(path: readonly string[]) {
    if (this.loading === 'done') {
      return html`<tw-lessons .path=${path} ?embed=${this.embed} ?hidden=${this.places.at.place !== 'learn'}
        @lesson-address=${(event: CustomEvent<string>) => this.places.replace(event.detail)}></tw-lessons>`;
    }
    if (typeof this.loading === 'string') return html`<p class="place-note" role="status">${placeStrings.loading}</p>`;
    return html`<p class="place-note" role="alert">${placeStrings.notLoaded(this.loading.failed)}
      <button @click=${this.load}>${placeStrings.again}</button></p>`;
  }

  private load = async (): Promise<void> => {
    this.loading = 'yes';
    try {
      await import('../lessons/lessonsPlace.ts');
      this.loading = 'done';
    } catch (error) {
      this.loading = { failed: error instanceof Error ? error.message : String(error) };
    }
  };

  /** Another place is a new page to whoever reads it: it begins at its top, and has a title. */
  private arrive(): void {
    scrollTo(0, 0);
    document.title = placeStrings.titles[this.places.at.place] ?? strings.title;
  }
}

import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { ViewController } from '../address/placeController.ts';
import { ThemeController } from '../look/themeController.ts';
import { viewStrings } from '../strings/placeStrings.ts';
import { strings } from '../strings/strings.ts';
import './placeLinks.ts';
import './turnwiseApp.ts';

/** Places whose code comes when they are first come to. */
const DEFERRED = {
  learn: () => import('../lessons/lessonsPlace.ts'),
  lab: () => import('../lab/labPlace.ts'),
  challenge: () => import('../challenge/challengePlace.ts'),
} as const;
type Deferred = keyof typeof DEFERRED;

type Loading = 'yes' | 'done' | { readonly failed: string };

/**
 * The page with its places. A place is created when the user first opens it, and stays. A run therefore continues, and
 * nothing that was opened is lost while the user is elsewhere. The page has no shadow tree, and each place is an
 * element of the document.
 */
@customElement('tw-page')
export class Page extends LitElement {
  private readonly places = new ViewController(this, () => this.arrive());
  /** The colours are those of every place. */
  protected readonly theme = new ThemeController(this);
  private played = false;
  /** Last position of the user in each place: a user who returns sees the place as it was left. */
  private readonly paths: Partial<Record<Deferred, readonly string[]>> = {};
  @state() private loading: Readonly<Partial<Record<Deferred, Loading>>> = {};
  private readonly embed = new URLSearchParams(location.search).has('embed');

  protected override createRenderRoot(): this {
    return this;
  }

  protected override render() {
    const { place, path } = this.places.at;
    const play = place === 'play' || place === 'inspect' || place === 'python';
    this.played ||= play;
    if (place in DEFERRED) {
      const later = place as Deferred;
      this.paths[later] = path;
      if (this.loading[later] === undefined) void this.load(later);
    }
    // A course page that shows a run without naming a place continues to show only the run.
    const links = !this.embed || this.places.named;
    const follow = (event: CustomEvent<string>) => this.places.replace(event.detail);
    return html`${links ? html`<tw-places .place=${place}></tw-places>` : nothing}
      ${this.played ? html`<tw-app ?hidden=${!play} ?alone=${!links} .place=${play ? place : 'play'} .path=${path} @place-address=${follow}></tw-app>` : nothing}
      ${this.later('learn', html`<tw-lessons .path=${this.paths.learn ?? []} ?embed=${this.embed} ?hidden=${place !== 'learn'} @place-address=${follow}></tw-lessons>`)}
      ${this.later('lab', html`<tw-lab .path=${this.paths.lab ?? []} ?embed=${this.embed} ?hidden=${place !== 'lab'} @place-address=${follow}></tw-lab>`)}
      ${this.later('challenge', html`<tw-challenge .path=${this.paths.challenge ?? []} ?embed=${this.embed} ?hidden=${place !== 'challenge'}></tw-challenge>`)}`;
  }

  protected override firstUpdated(): void {
    const title = viewStrings.titles[this.places.at.place];
    if (title !== undefined) document.title = title;
  }

  /** Renders a place that the user opened, or a note in its stead while its code is not loaded. */
  private later(place: Deferred, element: TemplateResult) {
    const loading = this.loading[place] ?? (this.places.at.place === place ? 'yes' : undefined);
    if (loading === undefined) return nothing;
    const note =
      loading === 'done'
        ? element
        : loading === 'yes'
          ? html`<p class="place-note" role="status">${viewStrings.loading[place]}</p>`
          : html`<p class="place-note" role="alert">${viewStrings.notLoaded[place](loading.failed)}
              <button @click=${() => this.load(place)}>${viewStrings.again}</button></p>`;
    return html`<div ?hidden=${this.places.at.place !== place}>${note}</div>`;
  }

  private async load(place: Deferred): Promise<void> {
    this.loading = { ...this.loading, [place]: 'yes' };
    try {
      await DEFERRED[place]();
      this.loading = { ...this.loading, [place]: 'done' };
    } catch (error) {
      const failed = error instanceof Error ? error.message : String(error);
      this.loading = { ...this.loading, [place]: { failed } };
    }
  }

  /** Another place, or another lesson, is a new page for the user: it begins at its top, and has a title. */
  private arrive(): void {
    scrollTo(0, 0);
    document.title = viewStrings.titles[this.places.at.place] ?? strings.title;
  }
}

/** Another address of a place shows what is seen: it takes the place of the present one in the history. */
export class ViewAddressEvent extends CustomEvent<string> {
  constructor(address: string) {
    super('place-address', { detail: address, bubbles: true, composed: true });
  }
}

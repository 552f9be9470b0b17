/** Event with a new address for the same content. It replaces the address in the present entry of the history. */
export class ViewAddressEvent extends CustomEvent<string> {
  constructor(address: string) {
    super('place-address', { detail: address, bubbles: true, composed: true });
  }
}

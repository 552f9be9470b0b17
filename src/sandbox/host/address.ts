/** Returns a data URL of a script, from which Node starts a worker. */
export function addressOf(code: string): URL {
  return new URL(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
}

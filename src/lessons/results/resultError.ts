/** A file that is no result file, or a damaged one; the message names the field. */
export class ResultError extends Error {
  override readonly name = 'ResultError';
}

/** Error in a file that is damaged or not a result file. The message has the field. */
export class ResultError extends Error {
  override readonly name = 'ResultError';
}

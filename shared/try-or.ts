/** Returns the result of work; `otherwise` if it throws. */
export const tryOr = <T, O>(work: () => T, otherwise: O): T | O => {
  try {
    return work()
  } catch {
    return otherwise
  }
}

/** Returns the text that a percent-encoded text stands for; one that is not valid stays unchanged. */
export const decodePercent = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The most characters of a question or another input of a run. */
export const longestInput = 100_000

export const isInput = (text: string): boolean => text.trim() !== "" && text.length <= longestInput

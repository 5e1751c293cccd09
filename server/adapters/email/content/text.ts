import {isForwarded, ownLines} from "./quotes.ts"

/** Normalises line ends. Removes control characters except the tab, and lone surrogates. */
export const cleanText = (text: string): string =>
  text
    .replace(/\r\n?|\u2028|\u2029/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .replaceAll("\u00a0", " ")
    .toWellFormed()

/**
 * Returns the writer's own text, without quoted mail, the lines that introduce it, and the signature. A mail that
 * somebody passes on without own words stays whole. `subject` is the mail's.
 */
export const withoutQuotes = (text: string, subject = ""): string => {
  const lines = cleanText(text).split("\n")
  const own = isForwarded(lines, subject) ? lines : ownLines(lines, subject).map(at => lines[at] ?? "")
  return own
    .map(line => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
}

/** Matches the line with which a mail program introduces a quotation, in the languages of common programs. */
const attribution =
  /^(on\s.{3,300}\swrote|am\s.{3,300}\sschrieb.{0,200}|le\s.{3,300}\sa écrit|el\s.{3,300}\sescribi[óo]|il\s.{3,300}\sha scritto|op\s.{3,300}\sschreef.{0,200}|em\s.{3,300}\sescreveu|den\s.{3,300}\sskrev.{0,200}|dnia\s.{3,300}\snapisał.{0,20})\s?:\s*$/iu

const divider =
  /^\s*(-{3,}\s*(original message|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|weitergeleitete nachricht|forwarded message)\s*-{3,}|_{20,})\s*$/iu

/** The first line of the headers that Outlook puts above a quotation, and a line that follows it. */
const quotedFrom = /^\s*\*?(from|von|de|da|van|från|od)\s?:\*?\s.+/iu
const quotedMore =
  /^\s*\*?(sent|date|to|subject|gesendet|datum|an|betreff|envoyé|objet|à|enviado|para|asunto|inviato|oggetto|a|verzonden|aan|onderwerp)\s?:\*?\s/iu

const device =
  /^\s*(sent from my .{1,60}|sent from outlook.{0,60}|get outlook for .{1,60}|von meinem .{1,60} gesendet|gesendet mit .{1,60}|envoyé de(puis)? mon .{1,60}|enviado desde mi .{1,60})\s*$/iu

/** The most lines of a signature. A line of two hyphens further up is something else. */
const longestSignature = 12

/** Longer lines are neither an introduction nor headers. */
const longestRead = 600

const isQuoted = (line: string): boolean => line.startsWith(">")

const read = (line: string | undefined): string => (line ?? "").slice(0, longestRead)

/** Returns how many lines here introduce a quotation. Programs break a long introduction in two. */
const attributionAt = (lines: readonly string[], at: number): number => {
  const line = read(lines[at]).trim()
  if (attribution.test(line)) return 1
  return attribution.test(`${line} ${read(lines[at + 1]).trim()}`) ? 2 : 0
}

const isForwardedHead = (lines: readonly string[], at: number): boolean =>
  quotedFrom.test(read(lines[at])) &&
  lines.slice(at + 1, at + 5).filter(line => quotedMore.test(read(line))).length >= 2

/** Returns the line at which a quotation without `>` marks, or the signature, begins. */
const endOfText = (lines: readonly string[]): number => {
  const lastQuoted = lines.findLastIndex(isQuoted)
  const quote = lines.findIndex(
    (line, at) =>
      divider.test(read(line)) || isForwardedHead(lines, at) || (at > lastQuoted && attributionAt(lines, at) > 0),
  )
  const behind = quote === -1 ? lines.length : quote
  const signature = lines.findIndex(
    (line, at) => at < behind && /^-- ?$/.test(line) && (line === "-- " || behind - at <= longestSignature),
  )
  return signature === -1 ? behind : signature
}

/** Returns the lines that are not quoted, without those that introduce a quotation. */
const ownLines = (lines: readonly string[]): readonly string[] => {
  const introduced = new Set<number>()
  for (const [at, line] of lines.entries()) {
    if (!isQuoted(line) || isQuoted(lines[at - 1] ?? "")) continue
    const above = (lines[at - 1] ?? "").trim() === "" ? at - 2 : at - 1
    for (const taken of [1, 2]) {
      const from = above - taken + 1
      if (from >= 0 && attributionAt(lines, from) === taken) for (let n = from; n <= above; n++) introduced.add(n)
    }
  }
  return lines.filter((line, at) => !isQuoted(line) && !introduced.has(at) && !device.test(read(line)))
}

/** Normalises line ends. Removes control characters except the tab, and lone surrogates. */
export const cleanText = (text: string): string =>
  text
    .replace(/\r\n?|\u2028|\u2029/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .replaceAll("\u00a0", " ")
    .toWellFormed()

/** Returns the writer's own text, without quoted mail, the lines that introduce it, and the signature. */
export const withoutQuotes = (text: string): string => {
  const lines = cleanText(text).split("\n")
  return ownLines(lines.slice(0, endOfText(lines)))
    .map(line => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
}

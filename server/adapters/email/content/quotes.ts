/** Matches the line with which a mail program introduces a quotation that has no marks, in some languages. */
const attribution =
  /^(on\s.{3,300}\swrote|am\s.{3,300}\sschrieb.{0,200}|le\s.{3,300}\sa écrit|el\s.{3,300}\sescribi[óo]|il\s.{3,300}\sha scritto|op\s.{3,300}\sschreef.{0,200}|em\s.{3,300}\sescreveu|den\s.{3,300}\sskrev.{0,200}|dnia\s.{3,300}\snapisał.{0,20})\s?:\s*$/iu

const divider =
  /^\s*(-{3,}\s*(original message|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|weitergeleitete nachricht|forwarded message)\s*-{3,}|_{20,})\s*$/iu

/** The words of Outlook for a sender and the lines below, which it may write without address and date. */
const quotedFrom = /^\s*\*?(from|von|de|da|van|från|od)\s?:\*?\s.+/iu
const quotedMore =
  /^\s*\*?(sent|date|to|subject|gesendet|datum|an|betreff|envoyé|objet|à|enviado|para|asunto|inviato|oggetto|a|verzonden|aan|onderwerp)\s?:\*?\s/iu

const device =
  /^\s*(sent from my .{1,60}|sent from outlook.{0,60}|get outlook for .{1,60}|von meinem .{1,60} gesendet|gesendet mit .{1,60}|envoyé de(puis)? mon .{1,60}|enviado desde mi .{1,60})\s*$/iu

/** A line such as "From: Ann" in any script. Gmail shows bold words with asterisks. */
const labelled = /^[\s*]*[\p{L}\p{M}][\p{L}\p{M}'’. -]{0,30}\*?\s?(?::\*?(?:\s+|$)|：\s*)(.*)$/u

/** A few words between hyphens. */
const ruled = /^\s*[-–—=_]{3,}\s*\p{L}[^\n]{1,60}?[-–—=_]{3,}\s*$/u

const address = /[^\s@<>()[\]"';:,]{1,64}@[^\s@<>()[\]"';:,]{1,250}/u
const bracketed = new RegExp(`[<([](?:mailto:)?${address.source}[>)\\]]`, "iu")

/** The most lines of a signature. A line of two hyphens further up is something else. */
const longestSignature = 12

/** Longer lines are neither an introduction nor headers. */
const longestRead = 600

/** The most lines of an introduction, and of the headers above a quotation. */
const longestIntroduction = 3
const longestHead = 30

const isQuoted = (line: string): boolean => line.startsWith(">")

/** Returns the beginning of a line, without characters that only format. */
const read = (line: string): string => line.slice(0, longestRead).replace(/\p{Cf}/gu, "")

const isBlank = (line = ""): boolean => line.trim() === ""

/** Whether a text has a date: three numbers, among them a year or the day, month and year in a row. */
const isDated = (text: string): boolean =>
  /\p{Nd}{1,2}[./-]\p{Nd}{1,2}[./-]\p{Nd}{2}|(?<!\p{Nd})\p{Nd}{4}(?!\p{Nd})/u.test(text) &&
  (text.match(/\p{Nd}+/gu)?.length ?? 0) >= 3

/** Returns a subject without "Re:" in any language. */
const topicOf = (subject: string): string =>
  subject
    .replace(/^(?:\s*[\p{L}\p{M}]{1,12}(?:\[\p{Nd}+\])?\s?[:：])+/u, "")
    .trim()
    .toLowerCase()

/** Returns the values of the headers here. Only a list of addresses continues on the next line. */
const headersAt = (lines: readonly string[], at: number): readonly string[] => {
  const values: string[] = []
  for (const line of lines.slice(at, at + longestHead)) {
    const [, value] = labelled.exec(line) ?? []
    if (value !== undefined) values.push(value)
    else if (values.length === 0 || !address.test(line)) break
  }
  return values
}

/** Whether the headers of an earlier mail begin here: four lines or more, with a date, a sender or this subject. */
const isHead = (lines: readonly string[], at: number, subject: string): boolean => {
  if (quotedFrom.test(lines[at] ?? ""))
    if (lines.slice(at + 1, at + 5).filter(line => quotedMore.test(line)).length >= 2) return true
  if (!labelled.test(lines[at] ?? "")) return false
  const values = headersAt(lines, at)
  if (values.length < 4 || !values.slice(0, 4).some(isDated)) return false
  const topic = topicOf(subject)
  return (
    values.slice(0, 2).some(value => bracketed.test(value)) ||
    values.filter(value => address.test(value)).length > 1 ||
    (topic !== "" && values.some(value => topicOf(value) === topic))
  )
}

const isDivider = (lines: readonly string[], at: number): boolean => {
  const line = lines[at] ?? ""
  if (divider.test(line)) return true
  if (!ruled.test(line)) return false
  const values = headersAt(lines, isBlank(lines[at + 1]) ? at + 2 : at + 1)
  return values.length > 1 && values.some(value => isDated(value) || address.test(value))
}

const isTop = (lines: readonly string[], at: number, subject: string): boolean =>
  isDivider(lines, at) || isHead(lines, at, subject)

/** Whether this is a date and a name, with a colon at the end. Without marks below, only an address is a name. */
const isIntroduction = (line: string, isMarked: boolean): boolean =>
  attribution.test(line) || (/[:：]$/.test(line) && isDated(line) && (isMarked || bracketed.test(line)))

/** Returns how many lines here introduce a quotation. Programs break a long introduction. */
const introductionAt = (lines: readonly string[], at: number, isMarked: boolean): number => {
  const parts = lines.slice(at, at + longestIntroduction).map(line => line.trim())
  if (!parts.some(part => /[:：]$/.test(part))) return 0
  for (const taken of parts.keys()) {
    if (parts[taken] === "") return 0
    const [whole, rest] = [0, 1].map(from => parts.slice(from, taken + 1).join(" "))
    if (rest !== undefined && rest !== "" && isIntroduction(rest, isMarked)) return 0
    if (whole !== undefined && whole.length <= longestRead && isIntroduction(whole, isMarked)) return taken + 1
  }
  return 0
}

/** Returns the line at which a quotation without `>` marks, or the signature, begins. */
const endOfText = (lines: readonly string[], subject: string): number => {
  const lastQuoted = lines.findLastIndex(isQuoted)
  const quote = lines.findIndex(
    (_, at) => isTop(lines, at, subject) || (at > lastQuoted && introductionAt(lines, at, false) > 0),
  )
  const behind = quote === -1 ? lines.length : quote
  const signature = lines.findIndex(
    (line, at) => at < behind && /^-- ?$/.test(line) && (line === "-- " || behind - at <= longestSignature),
  )
  return signature === -1 ? behind : signature
}

/** Returns the lines that introduce the quotations with `>` marks. */
const introductions = (lines: readonly string[]): ReadonlySet<number> => {
  const found = new Set<number>()
  for (const [at, line] of lines.entries()) {
    if (!isQuoted(line) || isQuoted(lines[at - 1] ?? "")) continue
    const above = isBlank(lines[at - 1]) ? at - 2 : at - 1
    for (let taken = 1; taken <= longestIntroduction; taken++) {
      const from = above - taken + 1
      if (from < 0 || introductionAt(lines, from, true) !== taken) continue
      for (let n = from; n <= above; n++) found.add(n)
    }
  }
  return found
}

/**
 * Whether the mail is an earlier one that somebody passes on without own words, but for a line such as "Begin forwarded
 * message:".
 */
export const isForwarded = (written: readonly string[], subject: string): boolean => {
  const lines = written.map(read)
  const [first = 0, second = first] = [...lines.keys()].filter(at => !isBlank(lines[at])).slice(0, 2)
  const isMarked = lines.slice(second).every(line => isQuoted(line) || isBlank(line))
  const passed = isMarked ? lines.map(line => line.replace(/^> ?/, "")) : lines
  const isAnnounced = /^\p{L}.{0,60}[:：]\s*$/u.test(lines[first] ?? "")
  return isTop(passed, first, subject) || (isAnnounced && isTop(passed, second, subject))
}

/**
 * Returns the numbers of the writer's own lines: neither quoted mail, nor the lines that introduce it, nor the
 * signature. `subject` is the mail's own, which the headers of an earlier mail repeat.
 */
export const ownLines = (written: readonly string[], subject: string): readonly number[] => {
  const lines = written.map(read)
  const text = lines.slice(0, endOfText(lines, subject))
  const introduced = introductions(text)
  const own = [...text.entries()].filter(([at, line]) => !isQuoted(line) && !introduced.has(at) && !device.test(line))
  const isEnd = ([, line]: readonly [number, string]) => !isBlank(line)
  return own.slice(own.findIndex(isEnd), own.findLastIndex(isEnd) + 1).map(([at]) => at)
}

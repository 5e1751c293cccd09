import {wordsOf} from "./words.ts"

export const most = {bytes: 1_000_000, entries: 1000, question: 200, answer: 8000} as const

/** One question of the file. `phrases` are the words of its heading, and of each phrase of its "Also:" lines. */
export interface Entry {
  readonly question: string
  readonly answer: string
  readonly phrases: readonly ReadonlySet<string>[]
}

/** What is wrong with the file, in its line. */
export class FileError extends Error {
  readonly line: number
  constructor(line: number, detail: string) {
    super(detail)
    this.line = line
  }
}

interface Section {
  readonly line: number
  readonly question: string
  readonly body: string[]
}

/** The sections of the headings `##`. A heading in a code block is none. The text above the first is a comment. */
const sectionsOf = (text: string): readonly Section[] => {
  const sections: Section[] = []
  let fence: string | undefined
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [, mark] = /^ {0,3}(```+|~~~+)/.exec(line) ?? []
    const [, heading] = fence === undefined ? (/^##(?!#)(.*)$/.exec(line) ?? []) : []
    if (mark !== undefined && fence === undefined) fence = mark
    else if (mark !== undefined && fence !== undefined && mark.startsWith(fence)) fence = undefined
    if (heading === undefined) sections.at(-1)?.body.push(line)
    else sections.push({line: index + 1, question: heading.trim(), body: []})
  }
  return sections
}

const entryOf = ({line, question, body}: Section): Entry => {
  if (question === "" || question.length > most.question)
    throw new FileError(line, `a question has 1 to ${most.question} characters`)
  const phrases = [wordsOf(question)]
  let at = 0
  for (; at < body.length; at++) {
    const text = body[at]?.trim() ?? ""
    const [, also] = /^also:(.*)$/i.exec(text) ?? []
    if (also === undefined && text !== "") break
    for (const phrase of also?.split(",") ?? []) {
      const words = wordsOf(phrase)
      if (words.size === 0) throw new FileError(line + at + 1, "a phrase after Also: has no words")
      phrases.push(words)
    }
  }
  const answer = body.slice(at).join("\n").trim()
  if (answer === "") throw new FileError(line, `"${question}" has no answer`)
  if (answer.length > most.answer)
    throw new FileError(line, `the answer to "${question}" has more than ${most.answer} characters`)
  return {question, answer, phrases: phrases.filter(({size}) => size > 0)}
}

/** Reads the questions of a file. Throws `FileError`. */
export const readEntries = (text: string): readonly Entry[] => {
  const sections = sectionsOf(text)
  const beyond = sections[most.entries]
  if (beyond !== undefined) throw new FileError(beyond.line, `a file has at most ${most.entries} questions`)
  const known = new Set<string>()
  return sections.map(section => {
    const entry = entryOf(section)
    const key = entry.question.toLowerCase()
    if (known.has(key)) throw new FileError(section.line, `"${entry.question}" is there twice`)
    known.add(key)
    return entry
  })
}

const common = (phrase: ReadonlySet<string>, words: ReadonlySet<string>): number =>
  [...phrase].filter(word => words.has(word)).length

/** The entry of which a phrase has most words in the text, and at least this share of the phrase's words. */
export const findAnswer = (entries: readonly Entry[], text: string, share: number): Entry | undefined => {
  const words = wordsOf(text)
  let best: Entry | undefined
  let most = 0
  for (const entry of entries)
    for (const phrase of entry.phrases) {
      const found = common(phrase, words)
      if (found <= most || found < phrase.size * share) continue
      best = entry
      most = found
    }
  return best
}

/** The entries that have most of these words in their phrases: several if they have equally many. */
export const search = (entries: readonly Entry[], text: string): readonly Entry[] => {
  const words = wordsOf(text)
  const scores = entries.map(({phrases}) => common(new Set(phrases.flatMap(phrase => [...phrase])), words))
  const best = scores.reduce((most, score) => Math.max(most, score), 0)
  return best === 0 ? [] : entries.filter((_, index) => scores[index] === best)
}

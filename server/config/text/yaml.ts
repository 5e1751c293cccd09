import {Composer, type Document, Lexer, LineCounter, type Node, Parser} from "yaml"
import {type Flaw, most, readValue, type Yaml} from "./yaml-value.ts"

/**
 * Reads a text as YAML 1.2 with the core schema (https://yaml.org/spec/1.2.2, 10.3). What JSON does not know is a flaw
 * with its position. Never throws, and takes time in proportion to the text.
 */
export const readYaml = (text: string): Yaml => {
  const {contents: _, ...read} = readNodes(text)
  return read
}

/** The same, with the nodes of the library. */
export const readNodes = (text: string): Yaml & {readonly contents: Node | null} => {
  const bytes = Buffer.byteLength(text)
  if (bytes > most.bytes) return broken([flawAt(0, `expected at most ${most.bytes / 1024} KiB, got ${bytes} bytes`)])
  const document = quickly(() => compose(text))
  const syntax = "message" in document ? [document] : syntaxFlaws(document)
  if (syntax.length > 0 || "message" in document) return broken(syntax)
  const read = readValue(document.contents)
  return read.flaws.length > 0 ? broken(read.flaws) : {contents: document.contents, ...read}
}

const flawAt = (offset: number, message: string): Flaw => ({offset, path: [], message})

const broken = (flaws: readonly Flaw[]) => ({
  contents: null,
  value: undefined,
  flaws,
  duplicates: [],
  places: undefined,
})

/** Returns a function that turns an offset of a text into its line and column, both counted from 1. */
export const placesIn = (text: string): ((offset: number) => {readonly line: number; readonly column: number}) => {
  const lines = new LineCounter()
  for (let start = 0; ; ) {
    lines.addNewLine(start)
    start = text.indexOf("\n", start) + 1
    if (start === 0) break
  }
  return offset => {
    const {line, col} = lines.linePos(offset)
    return {line, column: col}
  }
}

/** Runs `work` without a stack for each of its errors: a text may have 100,000, and stacks take most of their time. */
const quickly = <T>(work: () => T): T => {
  const {stackTraceLimit} = Error
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Stops at the first thing that would cost much: a deep nesting, many signs, or a second document. */
const compose = (text: string): Document | Flaw => {
  const parser = new Parser()
  const composer = new Composer({prettyErrors: false, uniqueKeys: false})
  const documents: Document[] = []
  let signs = 0
  const several = () => documents[1] && flawAt(documents[1].range?.[0] ?? 0, "expected one document, got several")
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token))
    if (++signs > most.signs) return flawAt(parser.offset, `more than ${most.signs} words and signs`)
    if (parser.stack.length > most.depth) return flawAt(parser.offset, `nested more than ${most.depth} levels deep`)
    const flaw = several()
    if (flaw !== undefined) return flaw
  }
  for (const token of parser.end()) documents.push(...composer.next(token))
  documents.push(...composer.end(true, text.length))
  return several() ?? documents[0] ?? flawAt(0, "expected a document")
}

/** A warning of the library is a flaw too: it means a tag that svc does not know. */
const syntaxFlaws = ({errors, warnings, directives}: Document): readonly Flaw[] => {
  const found = [...errors, ...warnings].slice(0, most.findings + 1)
  const flaws = found.map(({pos: [offset], message}) => flawAt(offset, message.replace(/\s+/g, " ")))
  const version = directives?.yaml.version ?? "1.2"
  return version === "1.2" ? flaws : [...flaws, flawAt(0, `expected YAML 1.2, got %YAML ${version}`)]
}

import {execFileSync} from "node:child_process"
import {readFileSync} from "node:fs"
import {join} from "node:path"
import {root} from "../root.ts"

/** A text that people read in the source: a comment, a string, or the message of a log line. */
export interface SourceText {
  /** Relative to the repository. */
  readonly path: string
  /** The first line of the text, counted from 1. */
  readonly line: number
  readonly text: string
}

/** The program and its tests, in English: generated files, fixtures and the console's other languages are left out. */
export const readSources = (): readonly {readonly path: string; readonly source: string}[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {cwd: root, encoding: "utf8"})
    .split("\n")
    .filter(path =>
      /^(?:cli|container|examples|plugins|scripts|server|shared|tests)\/.*\.(?:ts|svelte|sh|yml|json)$/.test(path),
    )
    .filter(path => !/\/texts\/(?:de|es|zh)[\w-]*(?:\/|\.json)|\/words\/|plain-words/.test(path))
    .map(path => ({path, source: readFileSync(join(root, path), "utf8")}))

/** The comments of TypeScript and Svelte, docstrings included. Lines of one comment are joined. */
export const commentsIn = (path: string, source: string): readonly SourceText[] => {
  const found: SourceText[] = []
  let open: {line: number; parts: string[]} | undefined
  const close = () => {
    if (open !== undefined) found.push({path, line: open.line, text: open.parts.filter(part => part !== "").join(" ")})
    open = undefined
  }
  for (const [index, text] of source.split("\n").entries()) {
    const [, block, middle, single] = /^\s*(?:\/\*\*? ?(.*)|\* ?(.*)|\/\/ ?(.*))$/.exec(text) ?? []
    const part = block ?? middle ?? single
    if (part === undefined || (middle !== undefined && open === undefined)) {
      close()
      continue
    }
    if (block !== undefined) close()
    open ??= {line: index + 1, parts: []}
    open.parts.push(part.replace(/\s*\*?\/$/, "").trim())
    if (text.trimEnd().endsWith("*/")) close()
  }
  close()
  return found
}

const literal = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g

/** The strings of a source that read like text: at least four words, and no command of svc. */
export const stringsIn = (path: string, source: string): readonly SourceText[] =>
  [...source.matchAll(literal)].flatMap(match => {
    const text = match[1] ?? match[2] ?? match[3] ?? ""
    const line = source.slice(0, match.index).split("\n").length
    return !text.startsWith("svc ") &&
      text.split("${").length === text.split("}").length &&
      /^[^\n]*[A-Za-z]+(?: [^ \n]+){3,}/.test(text) &&
      !/[{};]\s*$|=>|import /.test(text)
      ? [{path, line, text}]
      : []
  })

/** The messages that a source writes into the log. */
export const logsIn = (path: string, source: string): readonly SourceText[] =>
  [...source.matchAll(/\blog\??\.(?:debug|info|warn|error)\(\s*(?:"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g)].map(
    match => ({
      path,
      line: source.slice(0, match.index).split("\n").length,
      text: match[1] ?? match[2] ?? "",
    }),
  )

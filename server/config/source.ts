import {isAlias, isMap, isPair, isSeq, LineCounter, type Node, parseDocument} from "yaml"
import {type Issue, messageOf, Problem} from "../../shared/problems.ts"

export type Path = readonly (string | number)[]

/** `plugins.irc.endpoints[0].id` */
export const formatPath = (path: Path): string =>
  path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`),
    "",
  )

/** The most findings to show. With more, the file is probably not a configuration at all. */
const mostIssues = 50

/** In bytes. A larger configuration is refused unread. */
const largest = 1024 * 1024

/** A YAML file with the position of each key. */
export interface Source {
  readonly file: string
  readonly text: string
  /** The file's value, before expansion. */
  readonly raw: unknown
  /** Duplicate keys. The rest of the file can still be checked. */
  readonly duplicates: readonly Issue[]
  /** Returns an issue at a value or at its key. If the path does not exist, at the nearest existing parent. */
  issue(path: Path, message: string, at?: "key" | "value"): Issue
}

/** Decodes a file. Throws `config_invalid` if it is not UTF-8, is empty, or has more than 1 MiB. */
export const decodeSource = (file: string, bytes: Uint8Array): string => {
  const refuse = (message: string) => invalid([{file, line: 1, column: 1, path: "", message}])
  if (bytes.length > largest) throw refuse(`expected at most 1 MiB, got ${bytes.length} bytes`)
  try {
    const text = new TextDecoder("utf-8", {fatal: true}).decode(bytes)
    if (text.trim() === "") throw refuse("the file is empty; svc init writes one that you can start from")
    return text
  } catch (cause) {
    throw cause instanceof Problem ? cause : refuse("expected UTF-8 text")
  }
}

/** Parses YAML 1.2. Throws `config_invalid` with the position of every syntax error. */
export const parseSource = (file: string, text: string): Source => {
  const lines = new LineCounter()
  const at = (offset: number, path: Path, message: string): Issue => {
    const {line, col} = lines.linePos(offset)
    return {file, line: Math.max(line, 1), column: Math.max(col, 1), path: formatPath(path), message}
  }
  try {
    const document = parseDocument(text, {lineCounter: lines, prettyErrors: false, uniqueKeys: true})
    const issues = document.errors.map(error => at(error.pos[0], [], plainMessage(error.code, error.message)))
    if (document.errors.some(error => error.code !== "DUPLICATE_KEY")) throw invalid(issues)
    const raw: unknown = document.toJS({maxAliasCount: 100})
    if (!isMap(document.contents)) throw invalid([at(0, [], "expected keys with values (a mapping)")])
    const root: Node = document.contents
    return {
      file,
      text,
      raw,
      duplicates: issues,
      issue: (path, message, where = "value") => at(offsetOf(root, path, where), path, message),
    }
  } catch (cause) {
    throw cause instanceof Problem ? cause : invalid([at(0, [], `cannot be read: ${messageOf(cause)}`)])
  }
}

export const invalid = (issues: readonly Issue[]): Problem =>
  new Problem(
    "config_invalid",
    issues.length === 1
      ? "the configuration has an error"
      : `the configuration has ${issues.length} errors${issues.length > mostIssues ? `; the first ${mostIssues} are shown` : ""}`,
    {issues: issues.slice(0, mostIssues)},
  )

const plainMessage = (code: string, message: string) =>
  code === "DUPLICATE_KEY" ? "duplicate key; keep only one of them" : message.replace(/\s+/g, " ")

const offsetOf = (root: Node, path: Path, where: "key" | "value"): number => {
  let node: unknown = root
  let offset = root.range?.[0] ?? 0
  for (const [index, part] of path.entries()) {
    if (isAlias(node)) break
    if (isMap(node)) {
      // The last of several duplicate keys counts.
      const pair = node.items.findLast(item => isPair(item) && String(item.key) === String(part))
      if (pair === undefined) break
      const key = startOf(pair.key) ?? offset
      offset = where === "key" && index === path.length - 1 ? key : (startOf(pair.value) ?? key)
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(part)]
      offset = startOf(node) ?? offset
    } else break
  }
  return offset
}

const startOf = (node: unknown): number | undefined =>
  typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range)
    ? Number(node.range[0])
    : undefined

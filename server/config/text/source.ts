import {type Issue, Problem} from "../../../shared/problems.ts"
import {formatPath, type Path} from "../../runtime/text/path.ts"
import {placesIn, readYaml} from "./yaml.ts"
import {type Flaw, most, type Place, type Places, type Yaml} from "./yaml-value.ts"

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

/** Decodes a file. Throws `config_invalid` if it is not UTF-8, is empty, or has more bytes than `most`. */
export const decodeSource = (file: string, bytes: Uint8Array): string => {
  const refuse = (message: string) => invalid([{file, line: 1, column: 1, path: "", message}])
  if (bytes.length > most.bytes) throw refuse(`expected at most ${most.bytes / 1024} KiB, got ${bytes.length} bytes`)
  try {
    const text = new TextDecoder("utf-8", {fatal: true}).decode(bytes)
    if (text.trim() === "") throw refuse("the file is empty; svc init writes one that you can start from")
    return text
  } catch (cause) {
    throw cause instanceof Problem ? cause : refuse("expected UTF-8 text")
  }
}

/** The longest path and message of an issue, in characters: a key may be as long as the text. */
const longest = {path: 200, message: 1000} as const

const clip = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length - 1)}…` : text)

/** Parses YAML 1.2, or uses what was read from the same text. Throws `config_invalid` with the position of each flaw. */
export const parseSource = (
  file: string,
  text: string,
  {value, flaws, duplicates, places}: Yaml = readYaml(text),
): Source => {
  const placeOf = placesIn(text)
  const at = ({offset, path, message}: Flaw): Issue => ({
    file,
    ...placeOf(offset),
    path: clip(formatPath(path), longest.path),
    message: clip(message, longest.message),
  })
  if (flaws.length > 0) throw invalid(flaws.map(at))
  if (places === undefined || Array.isArray(value))
    throw invalid([at({offset: 0, path: [], message: "expected keys with values (a mapping)"})])
  return {
    file,
    text,
    raw: value,
    duplicates: duplicates.map(at),
    issue: (path, message, where = "value") => at({offset: offsetIn(places, path, where), path, message}),
  }
}

export const invalid = (issues: readonly Issue[]): Problem => {
  const shown = issues.slice(0, most.findings)
  const count =
    issues.length > shown.length ? `more than ${shown.length} errors; the first are shown` : `${shown.length} errors`
  return new Problem(
    "config_invalid",
    issues.length === 1 ? "the configuration has an error" : `the configuration has ${count}`,
    {issues: shown},
  )
}

const offsetIn = (places: Places, path: Path, where: "key" | "value"): number => {
  let inner: Places | undefined = places
  let last: Place | undefined
  let isWhole = true
  for (const part of path) {
    const next: Place | undefined = inner !== undefined && Object.hasOwn(inner, part) ? inner[part] : undefined
    isWhole &&= next !== undefined
    if (next === undefined) break
    last = next
    inner = next.inner
  }
  if (last === undefined) return Object.values(places)[0]?.key ?? 0
  return where === "key" && isWhole ? last.key : last.value
}

import {deepestJson, fromJson} from "../../../shared/json.ts"
import type {Path} from "../../runtime/text/path.ts"

/** Why a text is not JSON, or is ambiguous. */
export class JsonError extends Error {
  /** The position in the text, from 0. */
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.name = "JsonError"
    this.offset = offset
  }
}

/** Receives every value with its position and its key's position. */
type Visit = (path: Path, value: number, key: number) => void

const literals: Readonly<Record<string, unknown>> = {true: true, false: false, null: null}
const space = /[ \t\n\r]*/y
const text = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /[A-Za-z]+/y

/** Parses strict JSON (RFC 8259), without repeated keys. Throws `JsonError` with the position of the first error. */
export const parseJson = (source: string, visit: Visit = () => {}): unknown => {
  let at = source.startsWith("\ufeff") ? 1 : 0
  const fail = (message: string, offset = at): never => {
    throw new JsonError(offset, message)
  }
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(source)?.[0] ?? ""
    at += found.length
    return found
  }
  const skip = () => void take(space)
  const has = (letter: string): boolean => {
    skip()
    if (source[at] !== letter) return false
    at++
    return true
  }
  const readText = (what: string): string => {
    const raw = source[at] === '"' ? take(text) : ""
    if (raw === "")
      fail(source[at] === '"' ? "this text has no end, or contains characters that JSON does not allow" : what)
    return fromJson(raw) as string
  }
  const readObject = (path: Path): unknown => {
    const object: Record<string, unknown> = {}
    if (has("}")) return object
    do {
      skip()
      const key = at
      const name = readText('expected a key in "quotes"')
      if (Object.hasOwn(object, name)) fail(`the key "${name}" appears twice; keep one of them`, key)
      if (!has(":")) fail('expected ":"')
      // No assignment, because a key may be `__proto__`.
      Object.defineProperty(object, name, {
        value: readValue([...path, name], key),
        enumerable: true,
        writable: true,
        configurable: true,
      })
    } while (has(","))
    return has("}") ? object : fail('expected "," or "}"')
  }
  const readArray = (path: Path): unknown => {
    const items: unknown[] = []
    if (has("]")) return items
    do items.push(readValue([...path, items.length]))
    while (has(","))
    return has("]") ? items : fail('expected "," or "]"')
  }
  const readWord = (): unknown => {
    const start = at
    const found = take(word)
    return Object.hasOwn(literals, found) ? literals[found] : fail("expected a value", start)
  }
  const readValue = (path: Path, key?: number): unknown => {
    skip()
    if (path.length > deepestJson) fail("is nested too deeply")
    visit(path, at, key ?? at)
    if (has("{")) return readObject(path)
    if (has("[")) return readArray(path)
    if (source[at] === '"') return readText("")
    const digits = take(number)
    return digits === "" ? readWord() : Number(digits)
  }
  const value = readValue([])
  skip()
  return at === source.length ? value : fail("expected the end of the file")
}

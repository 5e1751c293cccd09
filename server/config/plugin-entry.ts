import {isDeepStrictEqual} from "node:util"
import {isMap, isScalar, type Pair, parseDocument, type YAMLMap} from "yaml"
import {toJson} from "../../shared/json.ts"

/** What an entry says; nothing of it for a plugin that is found by its name. */
export interface NewEntry {
  readonly use?: string
  readonly enabled?: boolean
}

/**
 * A configuration with the entry `plugins.<name>` behind the others, and every other character as it was. Undefined where
 * the text does not allow that: `plugins` is an alias, or the file is broken. The name must not be there yet.
 */
export const withPlugin = (text: string, name: string, entry: NewEntry = {}): string | undefined => {
  const document = parseDocument(text)
  if (document.errors.length > 0) return undefined
  const {contents} = document
  const parts = Object.entries(entry).map(([key, value]) => `${key}: ${toJson(value)}`)
  const line = `${name}: {${parts.join(", ")}}`
  if (contents !== null && !isMap(contents)) return undefined
  const pair = contents === null ? undefined : (contents.items as Pair[]).find(({key}) => textOf(key) === "plugins")
  const edited = pair === undefined ? append(text, contents, line) : inPlugins(text, pair, line)
  return edited !== undefined && isDeepStrictEqual(read(edited), asked(text, name, entry)) ? edited : undefined
}

const textOf = (node: unknown): unknown => (isScalar(node) ? node.value : node)

const append = (text: string, contents: YAMLMap | null, line: string): string | undefined => {
  if (contents?.flow === true) return undefined
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`
  return `${before}plugins:\n  ${line}\n`
}

const inPlugins = (text: string, {key, value}: Pair, line: string): string | undefined => {
  if (isMap(value)) return value.flow === true ? inFlow(text, value, line) : behindLast(text, value, line)
  const start = isScalar(key) ? key.range?.[1] : undefined
  const isEmpty = value === null || (isScalar(value) && value.value === null && value.source === "")
  return isEmpty && start !== undefined ? onNextLine(text, start, `  ${line}`) : undefined
}

const inFlow = (text: string, map: YAMLMap, line: string): string | undefined => {
  const end = map.range?.[1]
  if (end === undefined || text[end - 1] !== "}") return undefined
  const before = text.slice(0, end - 1).trimEnd()
  const comma = map.items.length === 0 || before.endsWith(",") ? "" : ", "
  return `${before}${comma}${line}${text.slice(end - 1)}`
}

/** In front of comments that follow the last entry: they may be about something else. */
const behindLast = (text: string, map: YAMLMap, line: string): string | undefined => {
  const last = (map.items as Pair[]).at(-1)
  const start = map.range?.[0]
  if (last === undefined || start === undefined) return undefined
  const end = endOf(last)
  const indent = " ".repeat(start - text.lastIndexOf("\n", start - 1) - 1)
  return end === undefined ? undefined : onNextLine(text, end, `${indent}${line}`)
}

/** Where the last character of an entry is, without what follows it. */
const endOf = ({key, value}: Pair): number | undefined => {
  if (isMap(value) && value.flow !== true) {
    const last = (value.items as Pair[]).at(-1)
    return last === undefined ? value.range?.[1] : endOf(last)
  }
  const range = rangeOf(value) ?? rangeOf(key)
  return range?.[1]
}

const rangeOf = (node: unknown): readonly number[] | undefined =>
  typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range) ? node.range : undefined

/** Puts a line behind the line in which a position is. */
const onNextLine = (text: string, position: number, line: string): string => {
  if (text[position - 1] === "\n") return `${text.slice(0, position)}${line}\n${text.slice(position)}`
  const end = text.indexOf("\n", position)
  return end === -1 ? `${text}\n${line}\n` : `${text.slice(0, end + 1)}${line}\n${text.slice(end + 1)}`
}

interface Settings {
  readonly plugins?: Readonly<Record<string, unknown>> | null
}

const read = (text: string): Settings => parseDocument(text).toJS({maxAliasCount: 100}) ?? {}

/** What the edited text has to say. */
const asked = (text: string, name: string, entry: NewEntry): Settings => {
  const settings = read(text)
  return {...settings, plugins: {...settings.plugins, [name]: entry}}
}

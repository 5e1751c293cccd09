import {isDeepStrictEqual} from "node:util"
import {isCollection, isMap, isScalar, isSeq, type Pair, type YAMLMap} from "yaml"
import {isObject} from "../../../shared/json.ts"
import type {Path} from "../../runtime/text/path.ts"
import {readNodes} from "../text/yaml.ts"
import {type Place, Splice} from "./splice.ts"

/**
 * Sets a value at a path of a configuration; every other character stays, and missing parents are added. The index
 * behind the last item of a list appends an item. Returns undefined if the text does not allow this: the position is an
 * alias or has aliases, the path leads through a scalar, or the text is broken.
 */
export const withValue = (text: string, path: Path, value: unknown, isFirst = false): string | undefined =>
  held(text, setIn(text, path, value, isFirst), settings => assign(settings, path, value))

/** Removes the value at a path. Returns the text unchanged if there is no value. */
export const withoutValue = (text: string, path: Path): string | undefined =>
  held(text, removeIn(text, path), settings => omit(settings, path))

/** Accepts an edit only if the new text has the requested change and no other. */
const held = (text: string, edited: string | undefined, ask: (settings: unknown) => unknown): string | undefined => {
  if (edited === undefined) return undefined
  const asked = ask(read(text))
  return asked !== undefined && isDeepStrictEqual(read(edited), asked) ? edited : undefined
}

/** Returns undefined for a broken text. */
export const read = (text: string): unknown => {
  const {value, flaws, duplicates} = readNodes(text)
  return flaws.length > 0 || duplicates.length > 0 ? undefined : (value ?? {})
}

const assign = (settings: unknown, [key, ...rest]: Path, value: unknown): unknown => {
  if (key === undefined) return value
  if (Array.isArray(settings) || (typeof key === "number" && (settings === undefined || settings === null))) {
    const items = [...((settings ?? []) as unknown[])]
    items[Number(key)] = assign(items[Number(key)], rest, value)
    return items
  }
  const entries = typeof settings === "object" && settings !== null ? settings : {}
  const own = Object.hasOwn(entries, key) ? (entries as Record<string, unknown>)[key] : undefined
  return Object.fromEntries([
    ...Object.entries(entries).filter(([name]) => name !== String(key)),
    [String(key), assign(own, rest, value)],
  ])
}

const omit = (settings: unknown, [key, ...rest]: Path): unknown => {
  if (key === undefined || typeof settings !== "object" || settings === null) return settings
  if (Array.isArray(settings)) {
    const items = settings as readonly unknown[]
    return rest.length === 0
      ? items.filter((_, index) => index !== Number(key))
      : items.map((item, index) => (index === Number(key) ? omit(item, rest) : item))
  }
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, item]) =>
      name !== String(key) ? [[name, item]] : rest.length === 0 ? [] : [[name, omit(item, rest)]],
    ),
  )
}

/** Where a path ends in the text: the last existing node, and the rest of the path. */
interface Found extends Place {
  readonly rest: Path
}

const find = (text: string, path: Path): Found | undefined => {
  const {contents, flaws, duplicates} = readNodes(text)
  if (flaws.length > 0 || duplicates.length > 0) return undefined
  let found: Found = {node: contents, holder: undefined, rest: path, isFlow: false}
  for (;;) {
    const {node, rest, isFlow} = found
    const [key, ...further] = rest
    if (key === undefined || !isCollection(node)) return found
    const inside = isFlow || node.flow === true
    if (isMap(node)) {
      const pair = (node.items as Pair[]).find(each => String(textOf(each.key)) === String(key))
      if (pair === undefined) return found
      found = {node: pair.value, holder: {is: "pair", pair, map: node}, rest: further, isFlow: inside}
    } else if (isSeq(node)) {
      const index = Number(key)
      if (!Number.isInteger(index) || index < 0 || index > node.items.length) return undefined
      if (index === node.items.length) return found
      found = {node: node.items[index], holder: {is: "item", index, seq: node}, rest: further, isFlow: inside}
    } else return undefined
  }
}

const textOf = (node: unknown): unknown => (isScalar(node) ? node.value : node)

const setIn = (text: string, path: Path, value: unknown, isFirst = false): string | undefined => {
  const found = find(text, path)
  if (found === undefined) return undefined
  const {node, rest} = found
  if (rest.length === 0) return setNode(text, path, found, value)
  const [key = "", ...further] = rest
  const inner = nest(further, value)
  const isEmpty = isNull(node) || (isCollection(node) && node.items.length === 0)
  if (isEmpty) return new Splice(text).replace(found, typeof key === "number" ? [inner] : {[key]: inner})
  const splice = new Splice(text)
  if (isMap(node)) return splice.addPair(node, String(key), inner, found.isFlow, isFirst)
  if (isSeq(node)) return splice.addItem(node, inner, found.isFlow)
  return undefined
}

const nest = (path: Path, value: unknown): unknown =>
  path.reduceRight<unknown>((inner, key) => (typeof key === "number" ? [inner] : {[key]: inner}), value)

const isNull = (node: unknown): boolean =>
  node === null || node === undefined || (isScalar(node) && node.value === null)

/** How many keys and items may change one by one, since each reads the text again. With more, all are replaced. */
const mostChanges = 50

/** Changes as little as possible: single keys and list items. Replaces a value of which much differs. */
const setNode = (text: string, path: Path, found: Found, value: unknown): string | undefined => {
  const {node} = found
  const differ = isCollection(node) ? countDiffering(node.toJSON(), value) : 1
  if (differ === 0) return text
  if (differ > mostChanges) return new Splice(text).replace(found, value)
  if (isMap(node) && isObject(value) && node.items.length > 0 && Object.keys(value).length > 0)
    return setEach(text, path, node, value)
  if (isSeq(node) && Array.isArray(value) && node.items.length > 0 && value.length > 0)
    return setItems(text, path, node.toJSON() as readonly unknown[], value)
  return new Splice(text).replace(found, value)
}

const countDiffering = (one: unknown, other: unknown): number => {
  if (isDeepStrictEqual(one, other)) return 0
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return 1
  const [before, after] = [new Map(Object.entries(one)), new Map(Object.entries(other))]
  const keys = [...new Set([...before.keys(), ...after.keys()])]
  return keys.reduce((sum, key) => sum + countDiffering(before.get(key), after.get(key)), 0) || 1
}

const setEach = (text: string, path: Path, node: YAMLMap, value: Readonly<Record<string, unknown>>) => {
  const before = node.toJSON() as Readonly<Record<string, unknown>>
  const set = Object.entries(value).filter(
    ([key, item]) => !Object.hasOwn(before, key) || !isDeepStrictEqual(before[key], item),
  )
  const gone = Object.keys(before).filter(key => !Object.hasOwn(value, key))
  const edited = set.reduce<string | undefined>(
    (now, [key, item]) => (now === undefined ? undefined : setIn(now, [...path, key], item)),
    text,
  )
  return gone.reduce<string | undefined>(
    (now, key) => (now === undefined ? undefined : removeIn(now, [...path, key])),
    edited,
  )
}

const setItems = (text: string, path: Path, before: readonly unknown[], value: readonly unknown[]) => {
  const same = (from: number, to: number) => isDeepStrictEqual(before[from], value[to])
  const shorter = Math.min(before.length, value.length)
  let start = 0
  while (start < shorter && same(start, start)) start++
  let end = 0
  while (end < shorter - start && same(before.length - 1 - end, value.length - 1 - end)) end++
  let edited: string | undefined = text
  const surplus = before.length - value.length
  for (let index = before.length - end - 1; index >= before.length - end - surplus; index--)
    edited = edited === undefined ? undefined : removeIn(edited, [...path, index])
  const limit = surplus < 0 ? value.length : value.length - end
  for (let index = start; index < limit; index++)
    edited = edited === undefined ? undefined : setIn(edited, [...path, index], value[index])
  return edited
}

const removeIn = (text: string, path: Path): string | undefined => {
  const found = find(text, path)
  if (found === undefined) return undefined
  if (found.rest.length > 0) return text
  const {holder, isFlow} = found
  if (holder === undefined) return undefined
  const {items} = holder.is === "pair" ? holder.map : holder.seq
  if (items.length === 1) return setIn(text, path.slice(0, -1), holder.is === "pair" ? {} : [])
  const splice = new Splice(text)
  return holder.is === "pair"
    ? splice.removePair(holder.map, holder.pair, isFlow)
    : splice.removeItem(holder.seq, holder.index, isFlow)
}

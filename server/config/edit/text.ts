import {isDeepStrictEqual} from "node:util"
import {isCollection, isMap, isScalar, isSeq, type Pair} from "yaml"
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
export const withoutValue = (text: string, path: Path): string | undefined => {
  const edited = removeIn(text, path)
  return edited === text ? text : held(text, edited, settings => assign(settings, path, gone))
}

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

/** Stands for a value that is to be removed. */
const gone = Symbol("gone")

const assign = (settings: unknown, [key, ...rest]: Path, value: unknown): unknown => {
  if (key === undefined) return value
  if (Array.isArray(settings) || (typeof key === "number" && (settings ?? undefined) === undefined)) {
    const items = [...((settings ?? []) as unknown[])]
    const item = assign(items[Number(key)], rest, value)
    return items.toSpliced(Number(key), 1, ...(item === gone ? [] : [item]))
  }
  const entries = isObject(settings) ? settings : {}
  const {[key]: own, ...others} = entries
  const next = assign(Object.hasOwn(entries, key) ? own : undefined, rest, value)
  return next === gone ? others : {...others, [key]: next}
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
  const changes = isCollection(node) ? changesOf(path, node.toJSON(), value) : [{at: path, to: value}]
  if (changes.length > mostChanges || changes.some(({at}) => at.length === path.length))
    return new Splice(text).replace(found, value)
  return changes.reduce<string | undefined>(
    (now, {at, to}) => (now === undefined ? now : to === gone ? removeIn(now, at) : setIn(now, at, to)),
    text,
  )
}

/** Returns how to turn one value into another, in the order in which the changes apply. */
const changesOf = (at: Path, before: unknown, after: unknown): readonly {readonly at: Path; readonly to: unknown}[] => {
  if (isDeepStrictEqual(before, after)) return []
  const change = (key: string | number, from: unknown, to: unknown) => changesOf([...at, key], from, to)
  if (Array.isArray(before) && Array.isArray(after) && before.length > 0 && after.length > 0) {
    const isSame = (from: number, to: number) => isDeepStrictEqual(before[from], after[to])
    const shorter = Math.min(before.length, after.length)
    let start = 0
    while (start < shorter && isSame(start, start)) start++
    let end = 0
    while (end < shorter - start && isSame(before.length - 1 - end, after.length - 1 - end)) end++
    const last = before.length - end - 1
    const surplus = Array.from({length: Math.max(0, before.length - after.length)}, (_, index) => last - index)
    const limit = after.length > before.length ? after.length : after.length - end
    return [
      ...surplus.map(index => ({at: [...at, index], to: gone})),
      ...after.slice(start, limit).flatMap((to: unknown, index) => change(start + index, before[start + index], to)),
    ]
  }
  if (!isObject(before) || !isObject(after) || [before, after].some(each => Object.keys(each).length === 0))
    return [{at, to: after}]
  return [
    ...Object.entries(after).flatMap(([key, to]) => change(key, Object.hasOwn(before, key) ? before[key] : gone, to)),
    ...Object.keys(before).flatMap(key => (Object.hasOwn(after, key) ? [] : change(key, before[key], gone))),
  ]
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

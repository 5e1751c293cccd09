import {isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap} from "yaml"
import type {Path} from "../../runtime/text/path.ts"

/**
 * The limits of a text: its bytes, its words and signs, its levels of nesting, its values and their characters once its
 * aliases are replaced, and the findings to show. With these, the worst text takes less than a second.
 */
export const most = {
  bytes: 256 * 1024,
  signs: 100_000,
  depth: 64,
  values: 20_000,
  characters: 1024 * 1024,
  findings: 100,
} as const

/** Something that is wrong with a text. `offset` is in characters, counted from 0. */
export interface Flaw {
  readonly offset: number
  readonly path: Path
  readonly message: string
}

/** Where a value begins, and its key; both are offsets. */
export interface Place {
  readonly key: number
  readonly value: number
  /** The places of its keys or items; absent for an alias. */
  readonly inner?: Places | undefined
}

export type Places = Readonly<Record<string, Place>>

/** What a document says, as a value that JSON can express too. */
export interface Yaml {
  /** Meaningless if there are flaws. The last of several equal keys counts. */
  readonly value: unknown
  readonly flaws: readonly Flaw[]
  /** The second and further ones of equal keys. The value can still be checked. */
  readonly duplicates: readonly Flaw[]
  /** The places of the outermost keys; undefined for another value than a mapping or a list. */
  readonly places: Places | undefined
}

/** Reads the value of a document. What JSON does not know is a flaw with its position. */
export const readValue = (contents: unknown): Yaml => {
  const reader = new Reader()
  const {value, inner} = reader.read(contents, [])
  return {value, flaws: reader.flaws, duplicates: reader.duplicates, places: inner}
}

interface Got {
  readonly value: unknown
  readonly inner?: Places
}

const nothing = {value: undefined, key: undefined}

/** Makes a value of a document, in one pass. */
class Reader {
  readonly flaws: Flaw[] = []
  readonly duplicates: Flaw[] = []
  readonly #anchors = new Map<string, Node>()
  /** The nodes that the aliases stand for. */
  readonly #targets = new Map<Node, Node>()
  /** The nodes around the current one. */
  readonly #around = new Set<Node>()
  #values = 0
  #characters = 0
  /** The outermost alias around the current value, if any: the value's flaws were found at the anchor. */
  #copy: {readonly node: Node; readonly path: Path} | undefined
  #isTooMuch = false

  read(node: unknown, path: Path): Got {
    this.#values++
    if (isScalar(node) && typeof node.value === "string") this.#characters += node.value.length
    if (this.#values > most.values || this.#characters > most.characters) return this.#tooMuch(node, path)
    if (isAlias(node)) return this.#alias(node.source, node, path)
    if (isScalar(node)) return this.#within(node, path, () => this.#scalar(node, path))
    if (isSeq(node)) return this.#within(node, path, () => this.#list(node.items, path))
    if (isMap(node)) return this.#within(node, path, () => this.#map(node, path))
    return {value: null}
  }

  #within(node: Node & {readonly anchor?: string; readonly tag?: string}, path: Path, read: () => Got): Got {
    const {anchor, tag} = node
    if (tag !== undefined && !tags.includes(tag))
      return this.#flaw(node, path, `the tag ${tag} is not one of JSON's; write the value as text`)
    if (anchor !== undefined && this.#copy === undefined) this.#anchors.set(anchor, node)
    if (this.#around.size >= most.depth) return this.#tooMuch(node, path)
    this.#around.add(node)
    const got = read()
    this.#around.delete(node)
    return got
  }

  #alias(source: string, node: Node, path: Path): Got {
    // In a copy, the anchor may have been given to another node meanwhile.
    const target = this.#targets.get(node) ?? this.#anchors.get(source)
    if (target === undefined) return this.#flaw(node, path, `there is no anchor &${source} before this alias`)
    if (this.#around.has(target)) return this.#flaw(node, path, `the alias *${source} stands within its own anchor`)
    this.#targets.set(node, target)
    const outer = this.#copy
    this.#copy = outer ?? {node, path}
    const {value} = this.read(target, path)
    this.#copy = outer
    return {value}
  }

  #scalar(node: Scalar, path: Path): Got {
    const {value, source = ""} = node
    if (typeof value !== "number") return {value}
    if (!Number.isFinite(value)) return this.#flaw(node, path, `expected a finite number, got ${source}`)
    if (Number.isInteger(value) && !Number.isSafeInteger(value) && /^[-+]?\d+$/.test(source))
      return this.#flaw(node, path, `${source} has too many digits for a number; write it in quotes`)
    // JSON has no -0.
    return {value: value + 0}
  }

  #list(items: readonly unknown[], path: Path): Got {
    const got = items.map((item, index) => this.read(item, [...path, index]))
    const places = got.map(({inner}, index): [number, Place] => {
      const value = startOf(items[index])
      return [index, {key: value, value, inner}]
    })
    return {value: got.map(({value}) => value), inner: Object.fromEntries(places)}
  }

  #map(map: YAMLMap, path: Path): Got {
    const values: [string, unknown][] = []
    const places = new Map<string, Place>()
    for (const pair of map.items as Pair[]) {
      const key = this.#key(pair.key, path)
      if (key === undefined) continue
      const at = [...path, key]
      const start = startOf(pair.key)
      if (places.has(key) && this.#copy === undefined && this.duplicates.length <= most.findings)
        this.duplicates.push({offset: start, path: at, message: "duplicate key; keep only one of them"})
      const {value, inner} = this.read(pair.value, at)
      values.push([key, value])
      places.set(key, {key: start, value: pair.value === null ? start : startOf(pair.value), inner})
    }
    return {value: Object.fromEntries(values), inner: Object.fromEntries(places)}
  }

  /** A number is its digits if svc would write it so. */
  #key(node: unknown, path: Path): string | undefined {
    const {value, source, type, anchor} = isScalar(node) ? node : {}
    if (isScalar(node) && anchor !== undefined) this.#anchors.set(anchor, node)
    this.#characters += source?.length ?? 0
    if (value === "<<" && type === "PLAIN")
      return this.#flaw(node, path, "YAML 1.2 has no merge keys (<<); repeat the keys here").key
    if (typeof value === "string") return value
    if (value !== null && value !== undefined && String(value) === source) return source
    return this.#flaw(node, path, "expected a key that is text; write it in quotes").key
  }

  #tooMuch(node: unknown, path: Path): Got {
    const {values, characters, depth} = most
    const at = this.#copy ?? {node, path}
    if (!this.#isTooMuch)
      this.flaws.push({
        offset: startOf(at.node),
        path: at.path,
        message: `more than ${values} values, ${characters} characters or ${depth} levels, with those that aliases repeat`,
      })
    this.#isTooMuch = true
    return nothing
  }

  #flaw(node: unknown, path: Path, message: string): typeof nothing {
    if (this.#copy === undefined && this.flaws.length <= most.findings)
      this.flaws.push({offset: startOf(node), path, message})
    return nothing
  }
}

/** Text, numbers and the like. Other tags stand for dates, bytes and sets. */
const tags = ["str", "int", "float", "bool", "null", "map", "seq"].map(name => `tag:yaml.org,2002:${name}`)

const startOf = (node: unknown): number =>
  typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range) ? Number(node.range[0]) : 0

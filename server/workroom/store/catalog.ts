import type {Item, JournalRecord} from "../../../shared/api/workroom.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {canonical, genesis, type Head, seal, sealOf} from "./record.ts"
import {begin, evolve} from "./transitions.ts"

/** The view of a Catalog that commands are decided against. */
export interface CatalogView {
  readonly authority: string
  readonly head: Head
  readonly count: number
  get(id: number): Item | undefined
  /** The item that a request added. */
  addedBy(request: string): Item | undefined
}

const texts = new WeakMap<Item, string>()

/** The text of an item in the stores. Items are immutable, so each is serialized once. */
export const itemText = (item: Item): string => {
  const known = texts.get(item)
  if (known !== undefined) return known
  const text = canonical(item)
  texts.set(item, text)
  return text
}

/** The state of a Catalog beyond its beginning. */
interface Later {
  readonly authority: string
  readonly head: Head
  readonly items: readonly Item[]
}

/** The current state of all items: a projection of the Journal up to its head. Items count from 1, without gaps. */
export class Catalog implements CatalogView {
  /** The authority under which the Journal began. */
  readonly origin: string
  #authority: string
  #head: Head
  readonly #items: Item[]
  readonly #added = new Map<string, number>()

  constructor(origin: string, later: Later = {authority: origin, head: {seq: 0, hash: genesis(origin)}, items: []}) {
    this.origin = origin
    this.#authority = later.authority
    this.#head = later.head
    this.#items = [...later.items]
    for (const item of later.items) this.#note(item)
  }

  get authority(): string {
    return this.#authority
  }

  get head(): Head {
    return this.#head
  }

  get count(): number {
    return this.#items.length
  }

  /** In ascending order of their numbers. */
  get items(): readonly Item[] {
    return this.#items
  }

  get(id: number): Item | undefined {
    return this.#items[id - 1]
  }

  addedBy(request: string): Item | undefined {
    const id = this.#added.get(request)
    return id === undefined ? undefined : this.get(id)
  }

  /** Applies the next record of the Journal; returns its item. Throws if the record does not fit. */
  apply(record: JournalRecord): Item | undefined {
    const item = project(this, record)
    if (item !== undefined) this.#put(item)
    if (record.command.is === "authority") this.#authority = record.command.to
    this.#head = {seq: record.seq, hash: record.hash}
    return item
  }

  /** Applies a group of records up to `head`. `items` are the results of their projection onto this Catalog. */
  advance(head: Head, items: readonly Item[]): void {
    for (const item of items) this.#put(item)
    this.#head = head
  }

  /** The whole Catalog as one text with its hash. Equal Catalogs have equal texts. */
  text(): string {
    return catalogText({origin: this.origin, authority: this.#authority, ...this.#head}, this.#items.map(itemText))
  }

  #put(item: Item): void {
    if (item.id > this.#items.length) this.#note(item)
    this.#items[item.id - 1] = item
  }

  #note({id, addedBy}: Item): void {
    if (addedBy !== null) this.#added.set(addedBy, id)
  }
}

export interface CatalogHead extends Head {
  readonly origin: string
  readonly authority: string
}

/** One line per item, so that a diff shows what has changed. */
export const catalogText = ({origin, authority, seq, hash}: CatalogHead, items: readonly string[]): string => {
  const lineage = `"origin":${toJson(origin)},"authority":${toJson(authority)}`
  return `${seal(`{"version":1,${lineage},"seq":${seq},"head":"${hash}","items":[\n${items.join(",\n")}\n]}`).text}\n`
}

/** Parses a text that `text()` wrote; undefined for any other text. */
export const parseCatalog = (text: string): Catalog | undefined => {
  if (!text.endsWith("\n") || sealOf(text.slice(0, -1)) === undefined) return undefined
  const {version, origin, authority, seq, head, items} = fromJson(text) as CatalogFile
  return version === 1 ? new Catalog(origin, {authority, head: {seq, hash: head}, items}) : undefined
}

interface CatalogFile extends Omit<CatalogHead, "hash"> {
  readonly version: number
  readonly head: string
  readonly items: readonly Item[]
}

/** Returns the item as a record leaves it; undefined for a record without an item. */
export const project = (catalog: CatalogView, record: JournalRecord): Item | undefined => {
  const {command, item: id, seq} = record
  if (command.is === "authority") {
    if (command.from !== catalog.authority) throw new Error(`record ${seq} comes from another authority`)
    return undefined
  }
  if (command.is === "add") {
    if (id !== catalog.count + 1) throw new Error(`record ${seq} adds item ${id} after item ${catalog.count}`)
    return begin(record, command)
  }
  const item = catalog.get(id)
  if (item === undefined) throw new Error(`record ${seq} is about item ${id}, which does not exist`)
  if (item.revision !== command.expectedRevision) {
    throw new Error(`record ${seq} is for revision ${command.expectedRevision}, but the item is at ${item.revision}`)
  }
  return evolve(item, record, command)
}

import type {Item, JournalRecord} from "../../shared/api/workroom.ts"
import {fromJson, toJson} from "../../shared/json.ts"
import {canonical, genesis, type Head, seal, sealOf} from "./store/record.ts"
import {begin, evolve} from "./transitions.ts"

/** What a command is decided against. */
export interface CatalogView {
  readonly authority: string
  readonly head: Head
  readonly count: number
  get(id: number): Item | undefined
  /** The item that a request has added. */
  addedBy(request: string): Item | undefined
}

const texts = new WeakMap<Item, string>()

/** An item as the stores keep it. Items never change, so each is written once. */
export const itemText = (item: Item): string => {
  const known = texts.get(item)
  if (known !== undefined) return known
  const text = canonical(item)
  texts.set(item, text)
  return text
}

/** What a Catalog is beyond its beginning. */
interface Later {
  readonly authority: string
  readonly head: Head
  readonly items: readonly Item[]
}

/** The current state of all items: a projection of the Journal, up to its head. Items are numbered from 1 without gaps. */
export class Catalog implements CatalogView {
  /** The authority that the Journal began under. */
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

  /** By number, rising. */
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

  /** Takes the next record of the Journal; returns the item that it was about. Throws where it cannot follow. */
  apply(record: JournalRecord): Item | undefined {
    const item = project(this, record)
    if (item !== undefined) this.#put(item)
    if (record.command.is === "authority") this.#authority = record.command.to
    this.#head = {seq: record.seq, hash: record.hash}
    return item
  }

  /** Takes what a group of records that are about items has left, up to `head`; they were projected onto this Catalog before. */
  advance(head: Head, items: readonly Item[]): void {
    for (const item of items) this.#put(item)
    this.#head = head
  }

  /** Everything, as one text with its own hash; equal Catalogs have equal texts. */
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

/** What a Catalog says of itself, beside its items. */
export interface CatalogHead extends Head {
  readonly origin: string
  readonly authority: string
}

/** One line for each item, so that what has changed can be seen. */
export const catalogText = ({origin, authority, seq, hash}: CatalogHead, items: readonly string[]): string => {
  const lineage = `"origin":${toJson(origin)},"authority":${toJson(authority)}`
  return `${seal(`{"version":1,${lineage},"seq":${seq},"head":"${hash}","items":[\n${items.join(",\n")}\n]}`).text}\n`
}

/** The Catalog of a text that `text()` wrote; undefined for any other. */
export const parseCatalog = (text: string): Catalog | undefined => {
  if (!text.endsWith("\n") || sealOf(text.slice(0, -1)) === undefined) return undefined
  const {version, origin, authority, seq, head, items} = fromJson(text) as CatalogFile
  return version === 1 ? new Catalog(origin, {authority, head: {seq, hash: head}, items}) : undefined
}

interface CatalogFile {
  readonly version: number
  readonly origin: string
  readonly authority: string
  readonly seq: number
  readonly head: string
  readonly items: readonly Item[]
}

/** What a record makes of the item that it is about; undefined where it is about none. */
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
  if (item === undefined) throw new Error(`record ${seq} is about item ${id}, which there is not`)
  if (item.revision !== command.expectedRevision) {
    throw new Error(`record ${seq} was made against revision ${command.expectedRevision} of ${item.revision}`)
  }
  return evolve(item, record, command)
}

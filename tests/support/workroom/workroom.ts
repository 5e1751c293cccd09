import {onTestFinished} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {FileStore, type FileStoreOptions} from "../../../server/workroom/store/file-store.ts"
import type {Store} from "../../../server/workroom/store/store.ts"
import {TableStore} from "../../../server/workroom/store/table-store.ts"
import {type Request, Workroom} from "../../../server/workroom/workroom.ts"
import type {Command, Item} from "../../../shared/api/workroom.ts"
import {localDatabase, log, makeFolder, open} from "../database/databases.ts"
import {Chance} from "../machine/chance.ts"
import {add, authority} from "./requests.ts"

export {add, authority}

/** A stored workroom that can be opened repeatedly. */
export interface Place {
  readonly store: () => Promise<Store>
  /** Opens the workroom, and closes it at the latest when the test ends. */
  readonly open: (under?: string) => Promise<Workroom>
  readonly folder: string
  /** The database of a table store, open. */
  readonly database: () => Promise<Database>
}

const placeOf = (folder: string, database: () => Promise<Database>, store: () => Promise<Store>): Place => ({
  folder,
  database,
  store,
  open: async (under = authority) => openWorkroom(await store(), under),
})

export const openWorkroom = async (store: Store, under = authority, now?: () => number): Promise<Workroom> => {
  const workroom = await Workroom.open({store, authority: under, log, ...(now === undefined ? {} : {now})})
  onTestFinished(() => workroom.close().catch(() => {}))
  return workroom
}

export const filePlace = (options: Partial<FileStoreOptions> = {}): Place => {
  const folder = makeFolder()
  return placeOf(
    folder,
    () => Promise.reject(new Error("these are files")),
    async () => new FileStore({folder, ...options}),
  )
}

export const tablePlace = async (): Promise<Place> => {
  const database = await open(await localDatabase())
  return placeOf(
    "",
    async () => database,
    async () => new TableStore(database),
  )
}

/** The two stores that one contract suite runs against. */
export const stores: readonly {readonly name: string; make(): Promise<Place>}[] = [
  {name: "tables", make: tablePlace},
  {name: "files", make: async () => filePlace()},
]

type Change = Exclude<Command, {is: "add" | "authority"}>
type Bare<T> = T extends unknown ? Omit<T, "expectedRevision"> : never

export const on = (item: Item, command: Bare<Change>, actor = "user:ada"): Request => ({
  actor,
  item: item.id,
  command: {...command, expectedRevision: item.revision} as Change,
})

export const ways: Readonly<Record<Item["state"], readonly Bare<Change>[]>> = {
  open: [],
  active: [{is: "claim", assignee: "user:ada"}],
  blocked: [
    {is: "claim", assignee: "user:ada"},
    {is: "block", reason: "waiting", owner: null, deadline: null},
  ],
  review: [{is: "claim", assignee: "user:ada"}, {is: "review"}],
  done: [{is: "claim", assignee: "user:ada"}, {is: "review"}, {is: "accept"}],
  cancelled: [{is: "cancel", reason: null}],
}

export const bring = async (workroom: Workroom, item: Item, state: Item["state"]): Promise<Item> => {
  let current = item
  for (const command of ways[state]) current = await workroom.run(on(current, command))
  return current
}

const texts = ["a", "waits for ünïcode ☃", "\u0000 and \ud800 alone", '","hash":"x"', "line\nbreak", "x".repeat(300)]

/** A command that may or may not be accepted, from a seed. */
export const randomRequest = (chance: Chance, count: number, revisionOf: (id: number) => number): Request => {
  const actor = chance.pick(["user:ada", "user:grace", "agent:triage", "operator"])
  if (count === 0 || chance.below(6) === 0) {
    return {
      ...add(chance.pick(texts), {priority: chance.pick(["low", "urgent"]), labels: [chance.pick(["x", "y"])]}),
      actor,
    }
  }
  const item = 1 + chance.below(count)
  const expectedRevision = revisionOf(item) - (chance.below(8) === 0 ? 1 : 0)
  const commands: readonly Bare<Change>[] = [
    {is: "claim", assignee: actor},
    {is: "claim", assignee: actor},
    {is: "block", reason: chance.pick(texts), owner: null, deadline: "2030-01-01T00:00:00.000Z"},
    {is: "unblock"},
    {is: "review"},
    {is: "accept"},
    {is: "comment", text: chance.pick(texts)},
    ...(chance.below(12) === 0 ? [{is: "cancel", reason: null} as const] : []),
  ]
  return {actor, item, command: {...chance.pick(commands), expectedRevision} as Change}
}

export const fill = async (workroom: Workroom, records: number, seed = 1): Promise<void> => {
  const chance = new Chance(seed)
  while (workroom.head.seq < records) {
    const {items} = workroom
    await workroom.run(randomRequest(chance, items.length, id => items[id - 1]?.revision ?? 0)).catch(error => {
      if (error.status !== 409) throw error
    })
  }
}

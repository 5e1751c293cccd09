import {closeSync, fdatasyncSync, openSync, writeSync} from "node:fs"
import {join} from "node:path"
import {pathToFileURL} from "node:url"
import {createClient} from "@libsql/client/sqlite3"
import {FileStore} from "../../../../server/workroom/store/file-store.ts"
import type {Store} from "../../../../server/workroom/store/store.ts"
import {TableStore} from "../../../../server/workroom/store/table-store.ts"
import {type Request, Workroom} from "../../../../server/workroom/workroom.ts"
import {log} from "../../../support/host/silence.ts"
import {cpuMilliseconds} from "../../measure/rate.ts"
import {openScratch} from "../../measure/scratch.ts"
import {authority, Groups} from "./journal-requests.ts"

/**
 * Times durable appends to the Journal in both stores and, alternately, the necessary minimum: the texts of the same
 * records, in the same groups, stored by the bare driver, and written and synced as bare bytes. Prints one JSON value:
 * records per second and per CPU-second, one sample per round. Arguments: rounds, records per group, groups per sample.
 */
const [rounds = 7, size = 512, groups = 28] = process.argv.slice(2).map(Number)

const {folder, database} = await openScratch()

const openBare = async (name: string) => {
  const client = createClient({url: pathToFileURL(join(folder, name)).href, concurrency: 1})
  await client.execute("PRAGMA journal_mode = WAL")
  await client.execute("PRAGMA synchronous = FULL")
  await client.execute(
    "CREATE TABLE workroom_events (seq INTEGER PRIMARY KEY, item INTEGER NOT NULL, record TEXT NOT NULL)",
  )
  return client
}

type Group = readonly string[]

/** Stores the texts of a sample. */
type Case = (sample: readonly Group[]) => Promise<void>

const workroomCase = async (store: Store) => {
  const workroom = await Workroom.open({store, authority, log})
  const commands = new Groups(size)
  let read = 0
  return {
    prepare: () => Array.from({length: groups}, () => commands.next()),
    run: async (sample: readonly Request[][]) => {
      for (const group of sample) await Promise.all(group.map(request => workroom.run(request)))
    },
    read: async (): Promise<Group[]> => {
      const texts: string[] = []
      await store.read(read + 1, workroom.head.seq, text => texts.push(text))
      read = workroom.head.seq
      if (texts.length !== size * groups) throw new Error("a command was not recorded")
      return Array.from({length: groups}, (_, group) => texts.slice(group * size, (group + 1) * size))
    },
  }
}

const bareSet = async (): Promise<Case> => {
  const client = await openBare("set.sqlite")
  return async sample => {
    for (const group of sample) {
      await client.execute({
        sql: "INSERT INTO workroom_events (item, record) SELECT 1, value FROM json_each(?)",
        args: [JSON.stringify(group)],
      })
    }
  }
}

const bareBatch = async (): Promise<Case> => {
  const client = await openBare("batch.sqlite")
  const sql = "INSERT INTO workroom_events (item, record) VALUES (1, ?)"
  return async sample => {
    for (const group of sample)
      await client.batch(
        group.map(record => ({sql, args: [record]})),
        "write",
      )
  }
}

const bareBytes = async (): Promise<Case> => {
  const file = openSync(join(folder, "bare"), "w")
  process.on("exit", () => closeSync(file))
  return async sample => {
    for (const group of sample) {
      writeSync(file, group.join("\n"))
      fdatasyncSync(file)
    }
  }
}

const samples: Record<string, {rate: number[]; perCpu: number[]}> = {}

const timed = async (name: string, counts: boolean, run: () => Promise<void>) => {
  const begun = {time: performance.now(), cpu: cpuMilliseconds()}
  await run()
  const [time, used] = [performance.now() - begun.time, cpuMilliseconds() - begun.cpu]
  samples[name] ??= {rate: [], perCpu: []}
  if (!counts) return
  samples[name].rate.push((size * groups * 1000) / time)
  samples[name].perCpu.push((size * groups * 1000) / used)
}

const files = await workroomCase(new FileStore({folder}))
const tables = await workroomCase(new TableStore(database))
const bare = {"driver, set-wise": await bareSet(), "driver, batch": await bareBatch(), bytes: await bareBytes()}

// The first round is for the compiler.
for (let round = 0; round <= rounds; round++) {
  const counts = round > 0
  const commands = [files.prepare(), tables.prepare()] as const
  await timed("file", counts, () => files.run(commands[0]))
  const sample = await files.read()
  for (const [name, store] of Object.entries(bare)) await timed(name, counts, () => store(sample))
  await timed("database", counts, () => tables.run(commands[1]))
  await tables.read()
}
process.stdout.write(`${JSON.stringify(samples)}\n`)
process.exit(0)

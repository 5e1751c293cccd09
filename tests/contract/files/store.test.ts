import {spawn} from "node:child_process"
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import {join} from "node:path"
import {fileURLToPath} from "node:url"
import {describe, expect, onTestFinished, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {sweepPart} from "../../../server/database/retention/retention.ts"
import {selectLasting} from "../../../server/inbox/intake/presses.ts"
import {mayRunAgain} from "../../../server/inbox/look-ups.ts"
import {contentOfFile, type FileContent} from "../../../server/outbox/files/content.ts"
import {FileFolder, hashOf, piecesIn, piecesOf} from "../../../server/outbox/files/folder.ts"
import {FileStore, orphanAge} from "../../../server/outbox/files/store.ts"
import {Outbox} from "../../../server/outbox/outbox.ts"
import {redactOutbox} from "../../../server/outbox/upkeep/redact.ts"
import {outboxPart} from "../../../server/outbox/upkeep/retention.ts"
import {h} from "../../../shared/sdk/content/elements.ts"
import {storedSource} from "../../../shared/sdk/content/file-source.ts"
import {engines, localDatabase, log, makeFolder, open} from "../../support/database/databases.ts"
import {onBun, until} from "../../support/host/host.ts"
import {mountDisk, needMounts} from "../../support/machine/disk.ts"

const contentOf = (text: string): FileContent => {
  const bytes = new TextEncoder().encode(text)
  return {size: bytes.length, pieces: () => piecesIn(bytes)}
}

const storeOn = (database: Database, folder: string, quota = 1000): FileStore =>
  new FileStore({folder, database, quota: () => quota})

const stateOf = async (database: Database, folder: string) => {
  const rows = (await database.read("SELECT sha256 FROM files ORDER BY sha256")).map(row => String(row.sha256))
  const files: string[] = []
  for await (const hashes of new FileFolder(folder).list()) files.push(...hashes)
  return {rows, files: files.sort()}
}

describe.each(engines)("stored files, on $name,", ({make}) => {
  const opened = async () => {
    const database = await open(await make())
    const folder = join(makeFolder(), "data/files")
    return {database, folder, store: storeOn(database, folder)}
  }

  /** Stores a message that shows a file, and discards it at once. */
  const say = async (database: Database, id: string, sha256: string) => {
    const outbox = new Outbox(database, log)
    const content = [h("p", h("file", {src: storedSource(sha256)})), storedSource("0".repeat(64))]
    await outbox.enqueue({id, kind: "message", endpoint: "line", channel: "team", content})
    await database.write([{sql: "UPDATE outbox SET state = 'discarded' WHERE id = ?", args: [id]}])
  }

  test("are stored once per content, and open unchanged", async () => {
    const {database, folder, store} = await opened()
    const lease = store.lease()
    const one = await store.put(contentOf("hello"), lease)
    expect(await store.put(contentOf("hello"), lease)).toEqual(one)
    await store.put(contentOf("other"), lease)
    expect((await stateOf(database, folder)).files).toHaveLength(2)
    expect(await store.usage()).toEqual({count: 2, bytes: 10})
    const file = await store.open(one.sha256, {name: "a.txt"})
    expect(await new Response(file.stream()).text()).toBe("hello")
    expect(await new Response(file.stream()).text()).toBe("hello")
    await expect(store.open("f".repeat(64))).rejects.toMatchObject({reason: "file_missing"})
    expect(statSync(join(folder, one.sha256.slice(0, 2), one.sha256)).mode & 0o777).toBe(0o600)
  })

  test("over the quota are refused and not written, unless the content is known", async () => {
    const {database, folder} = await opened()
    const store = storeOn(database, folder, 8)
    await store.put(contentOf("hello"), store.lease())
    await expect(store.put(contentOf("world"), store.lease())).rejects.toMatchObject({code: "files_full"})
    await store.put(contentOf("hello"), store.lease())
    expect((await stateOf(database, folder)).files).toHaveLength(1)
    expect(readdirSync(folder).filter(name => name.endsWith(".tmp"))).toEqual([])
  })

  test("from elsewhere take room as they arrive, and a failed download leaves nothing", async () => {
    const {database, folder} = await opened()
    const store = storeOn(database, folder, 8)
    async function* coming(...texts: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
      for (const text of texts) {
        if (text instanceof Error) throw text
        yield new TextEncoder().encode(text)
      }
    }
    await expect(store.take(coming("12345", "6789"), store.lease())).rejects.toMatchObject({code: "files_full"})
    await expect(store.take(coming("123", new Error("cut off")), store.lease())).rejects.toThrow("cut off")
    expect(await stateOf(database, folder)).toEqual({rows: [], files: []})
    const both = await Promise.allSettled([
      store.take(coming("123", "45"), store.lease()),
      store.take(coming("543", "21"), store.lease()),
    ])
    expect(both.map(({status}) => status).sort()).toEqual(["fulfilled", "rejected"])
    expect((await store.take(coming("xyz"), store.lease())).size).toBe(3)
    expect((await store.usage()).bytes).toBe(8)
    expect(readdirSync(folder).filter(name => name.endsWith(".tmp"))).toEqual([])
  })

  test("are no longer kept by a released lease", async () => {
    const {store} = await opened()
    const lease = store.lease()
    lease.release()
    await store.put(contentOf("late"), lease)
    expect(await store.sweep(Date.now() + orphanAge + 60_000)).toBe(1)
  })

  test("are deleted a day after the last use; messages, leases and holds keep them", async () => {
    const {database, folder, store} = await opened()
    const lease = store.lease()
    const [orphan, needed, leased] = await Promise.all(
      ["orphan", "needed", "leased"].map(text => store.put(contentOf(text), text === "leased" ? lease : store.lease())),
    )
    for (const text of ["orphan", "needed"]) {
      const own = store.lease()
      await store.put(contentOf(text), own)
      own.release()
    }
    await say(database, "m", needed?.sha256 ?? "")
    const restarted = storeOn(database, folder)
    restarted.lease().pin(leased?.sha256 ?? "")
    expect(await restarted.sweep(Date.now() + orphanAge - 60_000)).toBe(0)
    const later = Date.now() + orphanAge + 60_000
    const release = await restarted.hold()
    expect(await restarted.sweep(later)).toBe(0)
    release()
    expect(await restarted.sweep(later)).toBe(1)
    expect((await stateOf(database, folder)).files).toEqual([needed?.sha256, leased?.sha256].sort())
    await expect(restarted.open(orphan?.sha256 ?? "")).rejects.toMatchObject({reason: "file_missing"})
  })

  test("are deleted at once by redaction unless still in use; retention only orphans them", async () => {
    const {database, folder, store} = await opened()
    const own = store.lease()
    const {sha256} = await store.put(contentOf("secret plan"), own)
    const other = await store.put(contentOf("another"), own)
    own.release()
    await say(database, "one", sha256)
    await say(database, "two", sha256)
    await say(database, "three", other.sha256)
    await redactOutbox(database, "one", null)
    expect(await store.sweep()).toBe(0)
    await redactOutbox(database, "two", null)
    expect(await store.sweep()).toBe(1)
    const limits = {age: 0, rows: undefined, undelivered: undefined, spareAfter: Number.MAX_SAFE_INTEGER}
    await sweepPart(database, outboxPart(mayRunAgain("o.inbox_seq", "o.handler"), selectLasting), limits, {
      now: Date.now() + 60_000,
    })
    expect(await database.read("SELECT * FROM outbox_files")).toEqual([])
    expect((await stateOf(database, folder)).rows).toEqual([other.sha256])
    expect(await store.sweep(Date.now() + orphanAge + 1000)).toBe(1)
    expect(await stateOf(database, folder)).toEqual({rows: [], files: []})
  })

  test("are cleaned at a start: unfinished and unknown files go, a damaged one is replaced", async () => {
    const {database, folder, store} = await opened()
    const {sha256} = await store.put(contentOf("hello"), store.lease())
    const unknown = "ab".repeat(32)
    await (await new FileFolder(folder).write(contentOf("no row").pieces())).keep()
    writeFileSync(join(folder, ".left.tmp"), "half")
    truncateSync(join(folder, sha256.slice(0, 2), sha256), 2)
    const restarted = storeOn(database, folder)
    await restarted.start()
    await until("the unknown file to be deleted", async () => (await stateOf(database, folder)).files.length === 1)
    await restarted.stop()
    expect(existsSync(join(folder, ".left.tmp"))).toBe(false)
    expect(unknown).not.toBe(sha256)
    const again = storeOn(database, folder)
    await again.put(contentOf("hello"), again.lease())
    expect(await hashOf(piecesOf(join(folder, sha256.slice(0, 2), sha256)))).toBe(sha256)
  })
})

test("a file that is being written stays when the store starts; those of a dead process go", async () => {
  const folder = join(makeFolder(), "data/files")
  const store = storeOn(await open(await localDatabase()), folder)
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const pieces = async function* () {
    yield new TextEncoder().encode("first")
    begun.resolve()
    await go.promise
  }
  const writing = store.take(pieces(), store.lease())
  await begun.promise
  writeFileSync(join(folder, ".left-behind.tmp"), "half")
  await store.start()
  onTestFinished(() => store.stop())
  go.resolve()
  expect((await writing).size).toBe(5)
  expect(readdirSync(folder).filter(name => name.endsWith(".tmp"))).toEqual([])
})

test("a growing file is stored at its first size, and a file that became a link is not read", async () => {
  const database = await open(await localDatabase())
  const folder = makeFolder()
  const store = storeOn(database, join(folder, "files"))
  writeFileSync(join(folder, "log"), "hello")
  const content = contentOfFile(join(folder, "log"), 5)
  writeFileSync(join(folder, "log"), "hello, world")
  const {size, sha256} = await store.put(content, store.lease())
  expect(size).toBe(5)
  expect(await new Response((await store.open(sha256)).stream()).text()).toBe("hello")
  renameSync(join(folder, "log"), join(folder, "secret"))
  symlinkSync("secret", join(folder, "log"))
  await expect(store.put(content, store.lease())).rejects.toMatchObject({code: "file_path_refused"})
  expect(readdirSync(join(folder, "files")).filter(name => name.endsWith(".tmp"))).toEqual([])
})

test("a full disk refuses a file and keeps nothing of it", async context => {
  needMounts(context)
  const database = await open(await localDatabase())
  const folder = join(makeFolder(), "small")
  mountDisk(folder, "256k")
  const store = storeOn(database, join(folder, "files"), 1024 ** 3)
  await expect(store.put(contentOf("x".repeat(1024 ** 2)), store.lease())).rejects.toMatchObject({
    code: "state_unwritable",
  })
  await expect(store.receive(contentOf("x".repeat(1024 ** 2)).pieces())).rejects.toMatchObject({
    code: "state_unwritable",
  })
  expect(await stateOf(database, join(folder, "files"))).toEqual({rows: [], files: []})
  expect(readdirSync(join(folder, "files"))).toEqual([])
})

test("a process killed while storing leaves no row without its file and no partial file", async () => {
  const location = await localDatabase()
  const folder = join(makeFolder(), "files")
  if (location.dialect !== "sqlite") throw new Error("it is a file")
  const script = fileURLToPath(new URL("storing-process.ts", import.meta.url))
  const told = new Set<string>()
  for (let round = 0; round < 6; round++) {
    const child = spawn(onBun.command[0] ?? "bun", [script, location.file, folder], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    onTestFinished(() => void child.kill("SIGKILL"))
    let output = ""
    child.stdout.on("data", (text: Buffer) => {
      output += text
    })
    await until("some files", () => output.split("\n").length > 3 + round * 5)
    child.kill("SIGKILL")
    await until("its end", () => child.exitCode !== null || child.signalCode !== null)
    for (const line of output.split("\n").slice(1, -1)) told.add(line)
    const database = await open(location)
    const {rows, files} = await stateOf(database, folder)
    expect(rows.filter(sha256 => !files.includes(sha256))).toEqual([])
    for (const sha256 of told) expect(rows).toContain(sha256)
    for (const sha256 of files) expect(await hashOf(piecesOf(join(folder, sha256.slice(0, 2), sha256)))).toBe(sha256)
    const store = storeOn(database, folder)
    await store.start()
    await until(
      "the files without a row to be deleted",
      async () => (await stateOf(database, folder)).files.length === rows.length,
    )
    expect(readdirSync(folder).filter(name => name.endsWith(".tmp"))).toEqual([])
    await store.stop()
    await database.close()
  }
  expect(told.size).toBeGreaterThan(20)
  expect(readFileSync(join(folder, [...told][0]?.slice(0, 2) ?? "", [...told][0] ?? ""))).toHaveLength(80_000)
})

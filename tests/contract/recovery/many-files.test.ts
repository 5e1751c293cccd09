import {mkdirSync, readdirSync, rmSync, statSync, writeFileSync} from "node:fs"
import {dirname, join} from "node:path"
import {expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {storedName} from "../../../server/outbox/files/folder.ts"
import {storing} from "../../../server/outbox/files/rows.ts"
import {type CheckpointSource, createCheckpoint} from "../../../server/recovery/checkpoint/create.ts"
import {manifestName} from "../../../server/recovery/checkpoint/manifest.ts"
import {requireSameFiles} from "../../../server/recovery/checkpoint/stage.ts"
import {CheckpointStore, type ListedCheckpoint} from "../../../server/recovery/checkpoint/store.ts"
import {few} from "../../../server/recovery/files/copies.ts"
import {filesParticipant, filesRule} from "../../../server/recovery/parts/files.ts"
import {sha256Of} from "../../../server/runtime/files.ts"
import {projectPaths} from "../../../server/runtime/project.ts"
import {localDatabase, makeFolder, open} from "../../support/database/databases.ts"

/** A project of which nothing runs. `add` stores files of messages up to a number, and returns all their hashes. */
const makeSource = async () => {
  const paths = projectPaths(makeFolder())
  const database = await open(await localDatabase())
  for (const name of ["svc.config.yml", "package.json"]) writeFileSync(join(paths.project, name), "{}")
  const hashes: string[] = []
  const add = async (count: number): Promise<readonly string[]> => {
    for (let index = hashes.length; index < count; index++) {
      const sha256 = sha256Of(`file ${index}`)
      const file = join(paths.files, storedName(sha256))
      mkdirSync(dirname(file), {recursive: true})
      writeFileSync(file, `file ${index}`)
      hashes.push(sha256)
    }
    await database.write(hashes.map(sha256 => storing({sha256, size: 8}, 0)))
    return hashes.toSorted()
  }
  const build = {id: "0".repeat(12), commit: null, dirty: null, version: "0", lockfile: null, installed: null}
  const source: CheckpointSource = {
    paths,
    project: "bot",
    authority: "one",
    runtimeId: null,
    database,
    schema: 1,
    secrets: {},
    participants: [filesParticipant(paths, database)],
    build: async () => ({build: {...build, plugins: [], stale: []}, changes: []}),
  }
  const store = new CheckpointStore(paths.checkpoints)
  const create = (change: Partial<CheckpointSource> = {}, signal?: AbortSignal) =>
    createCheckpoint(store, {...source, ...change}, {reason: "operator", ...(signal && {signal})})
  return {paths, database, add, store, create}
}

const filesOf = async (store: CheckpointStore, {id}: ListedCheckpoint) => {
  const {folder, manifest} = await store.get(id)
  await requireSameFiles(folder, manifest)
  const stored = manifest.files.filter(({path}) => path.startsWith("files/"))
  return new Map(stored.map(({path, sha256}) => [path, {sha256, inode: statSync(join(folder, path)).ino}]))
}

const named = (sha256: string) => `files/${storedName(sha256)}`

const findings = (database: Database, files: Awaited<ReturnType<typeof filesOf>>) =>
  filesRule.check({
    mark: null,
    authority: "one",
    database,
    path: () => undefined,
    sha256: name => files.get(name)?.sha256,
  })

test("checkpoints of any number of files share inodes with each other, and none with the project", async () => {
  const {paths, add, store, create} = await makeSource()
  let before = new Map<string, object>()
  for (const count of [0, 1, few, 2 * few + 1, 500, 501]) {
    const hashes = await add(count)
    const files = await filesOf(store, await create())
    expect([...files.keys()].sort()).toEqual(hashes.map(named))
    for (const [path, file] of before) expect(files.get(path)).toEqual(file)
    const live = new Set(hashes.map(sha256 => statSync(join(paths.files, storedName(sha256))).ino))
    expect([...files.values()].filter(({inode}) => live.has(inode))).toEqual([])
    expect([...files].filter(([path, {sha256}]) => !path.endsWith(sha256))).toEqual([])
    before = files
  }
})

test("a checkpoint names a changed and a missing file, and shares no damaged one", async () => {
  const {paths, database, add, store, create} = await makeSource()
  const hashes = await add(4)
  const [changed = "", missing = "", damaged = "", linked = ""] = hashes
  writeFileSync(join(paths.files, storedName(changed)), "another")
  rmSync(join(paths.files, storedName(missing)))
  const first = await create()
  const before = await filesOf(store, first)
  expect(hashes.filter(each => !before.has(named(each)))).toEqual([missing])
  expect(before.get(named(changed))?.sha256).toBe(sha256Of("another"))
  const told = (await findings(database, before)).map(text => hashes.filter(each => text.includes(each)))
  expect(told).toEqual([[changed], [missing]])
  writeFileSync(join(first.folder, named(damaged)), "damaged")
  const after = await filesOf(store, await create())
  expect(after.get(named(damaged))?.sha256).toBe(damaged)
  expect(after.get(named(linked))).toEqual(before.get(named(linked)))
})

test.for(["a failure to read the rows", "an abortion"])("%s leaves nothing of a checkpoint", async what => {
  const {paths, add, create} = await makeSource()
  const hashes = await add(few)
  const ending = new AbortController()
  const copies = async function* () {
    yield hashes.map(sha256 => ({from: join(paths.files, storedName(sha256)), path: `files/${sha256}`, sha256}))
    if (what.startsWith("a failure")) throw new Error("no rows")
    ending.abort()
    yield []
  }
  const participants = [{name: "files", mark: async () => null, copies}]
  await expect(create({participants}, ending.signal)).rejects.toMatchObject({code: "checkpoint_failed"})
  expect(readdirSync(paths.checkpoints)).toEqual([])
})

test("a list reads a manifest once, and again as soon as it changes", async () => {
  const {store, create} = await makeSource()
  const {id, folder, manifest} = await create()
  expect((await store.find(id)).manifest).toBe(manifest)
  const fresh = new CheckpointStore(store.root)
  expect(await fresh.find(id)).toEqual(await store.find(id))
  writeFileSync(join(folder, manifestName), "{}")
  expect((await store.list()).damaged.map(each => each.id)).toEqual([id])
})

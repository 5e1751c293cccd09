import {appendFileSync, readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {adoptStore, adoptTables, copyStore, examineStore, examineTables} from "../../../server/workroom/checkpoint.ts"
import {FileStore} from "../../../server/workroom/store/file-store.ts"
import {listSegments, storePaths} from "../../../server/workroom/store/segments.ts"
import {makeFolder} from "../../support/database/databases.ts"
import {add, authority, filePlace, fill, openWorkroom, tablePlace} from "../../support/workroom/workroom.ts"

const next = "0c0ffee0-0000-4000-8000-000000000002"
const at = "2030-01-01T00:00:00.000Z"

test("a copy up to a mark is complete despite later records", async () => {
  const place = filePlace({segmentSize: 20_000})
  const workroom = await place.open()
  await fill(workroom, 200)
  const mark = workroom.mark()
  const [target] = [makeFolder()]
  await Promise.all([copyStore(place.folder, target, mark), fill(workroom, 400, 2)])
  expect(await examineStore(target)).toEqual({
    origin: authority,
    authority,
    seq: 200,
    hash: mark.hash,
    items: expect.any(Number),
  })
  expect(readFileSync(storePaths(target).catalog, "utf8")).toBe(mark.catalog)
  const restored = await openWorkroom(new FileStore({folder: target}))
  await restored.run(add("goes on"))
  expect((await restored.verify()).seq).toBe(201)
  expect(workroom.head.seq).toBe(400)
})

test("a copy at the very beginning is an empty store", async () => {
  const place = filePlace()
  const workroom = await place.open()
  const target = makeFolder()
  await copyStore(place.folder, target, workroom.mark())
  expect(await examineStore(target)).toMatchObject({seq: 0, items: 0})
  expect(await examineStore(makeFolder())).toBeUndefined()
})

test("a copy that was changed, cut or continued is not accepted as complete", async () => {
  const place = filePlace()
  const workroom = await place.open()
  await fill(workroom, 30)
  const copy = async () => {
    const target = makeFolder()
    await copyStore(place.folder, target, workroom.mark())
    const {catalog, journal} = storePaths(target)
    const [segment] = await listSegments(journal)
    return {target, catalog, segment: segment?.path ?? ""}
  }
  const changed = await copy()
  writeFileSync(changed.catalog, readFileSync(changed.catalog, "utf8").replace("open", "done"))
  await expect(examineStore(changed.target)).rejects.toMatchObject({code: "workroom_damaged"})
  const cut = await copy()
  writeFileSync(cut.segment, readFileSync(cut.segment).subarray(0, -1))
  await expect(examineStore(cut.target)).rejects.toMatchObject({code: "workroom_damaged"})
  const continued = await copy()
  appendFileSync(continued.segment, "more")
  await expect(examineStore(continued.target)).rejects.toMatchObject({code: "workroom_damaged"})
})

test("files continue under a new authority with a record in the chain, and refuse the old one", async () => {
  const place = filePlace()
  const workroom = await place.open()
  await fill(workroom, 20)
  await workroom.close()
  await adoptStore(place.folder, next, at)
  await adoptStore(place.folder, next, at)
  expect(await examineStore(place.folder)).toMatchObject({origin: authority, authority: next, seq: 21})
  await expect(place.open()).rejects.toMatchObject({code: "authority_mismatch"})
  const restored = await place.open(next)
  expect(await restored.journal(22, 1)).toMatchObject([
    {seq: 21, at, actor: "host", item: 0, command: {is: "authority", from: authority, to: next}},
  ])
  await restored.run(add("goes on"))
  await restored.verify()
})

test("tables continue under a new authority in the same way", async () => {
  const place = await tablePlace()
  expect(await examineTables(await place.database())).toBeUndefined()
  await fill(await place.open(), 20)
  expect(await examineTables(await place.database())).toMatchObject({authority, seq: 20})
  await adoptTables(await place.database(), next, at)
  expect(await examineTables(await place.database())).toMatchObject({origin: authority, authority: next, seq: 21})
  await expect(place.open()).rejects.toMatchObject({code: "authority_mismatch"})
  const restored = await place.open(next)
  await restored.run(add("goes on"))
  expect((await restored.verify()).seq).toBe(22)
  const database = await place.database()
  await database.write([{sql: "UPDATE workroom_catalog SET data = '{}' WHERE item = 1"}])
  await adoptTables(database, authority, at)
  expect(await (await place.store()).open(authority)).toMatchObject({rebuilt: {wrong: expect.stringMatching(/ 1$/)}})
})

test("an adoption that was interrupted before its acknowledgement is completed the next time", async () => {
  const place = filePlace()
  const workroom = await place.open()
  await fill(workroom, 5)
  await workroom.close()
  const {acknowledged} = storePaths(place.folder)
  const before = readFileSync(acknowledged)
  const catalog = readFileSync(join(place.folder, "workroom-catalog.json"))
  await adoptStore(place.folder, next, at)
  writeFileSync(acknowledged, before)
  writeFileSync(join(place.folder, "workroom-catalog.json"), catalog)
  await adoptStore(place.folder, next, at)
  expect((await place.open(next)).head.seq).toBe(6)
})

import {cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {examineTables} from "../../../server/workroom/checkpoint.ts"
import {writeAcknowledged} from "../../../server/workroom/store/acknowledged.ts"
import {FileStore} from "../../../server/workroom/store/file-store.ts"
import {listSegments, type StorePaths, storePaths} from "../../../server/workroom/store/segments.ts"
import {Workroom} from "../../../server/workroom/workroom.ts"
import {Problem} from "../../../shared/problems.ts"
import {log, memoryFolder} from "../../support/database/databases.ts"
import {errorOf} from "../../support/host/problems.ts"
import {authority, fill, tablePlace} from "../../support/workroom/workroom.ts"
import {killedStore} from "./killed-store.ts"

const copyOf = (paths: StorePaths): StorePaths => {
  const folder = memoryFolder()
  cpSync(paths.folder, folder, {recursive: true})
  return storePaths(folder)
}

const open = async ({folder}: StorePaths) => {
  const store = new FileStore({folder})
  const opened = await store.open(authority)
  await store.close(opened.catalog)
  return opened
}

const refusal = async (work: Promise<unknown>): Promise<string> => {
  const error = await errorOf(work)
  expect(error).toBeInstanceOf(Problem)
  expect(error).toMatchObject({code: "workroom_damaged"})
  return error instanceof Problem ? error.message : ""
}

const endsIn = (bytes: Buffer): number[] => {
  const ends: number[] = []
  for (let at = 0; at < bytes.length; ) {
    at += 8 + bytes.readUInt32LE(at)
    ends.push(at)
  }
  return ends
}

/** The last segment of a store, with the start and end of each of its last three records. */
const lastThree = async (paths: StorePaths) => {
  const segment = (await listSegments(paths.journal)).at(-1)
  if (segment === undefined) throw new Error("there is no segment")
  const bytes = readFileSync(segment.path)
  const ends = endsIn(bytes)
  const start = ends.at(-4) ?? 0
  const cuts = Array.from({length: bytes.length - start}, (_, index) => start + index)
  return {segment, bytes, ends: ends.slice(-3), start, cuts}
}

describe("a Journal that was cut", () => {
  test("at any byte of its last three records, below the acknowledged end, is refused with its end", async () => {
    const paths = await killedStore(12, 1e6)
    const {segment, bytes, cuts} = await lastThree(paths)
    for (const cut of cuts) {
      writeFileSync(segment.path, bytes.subarray(0, cut))
      const text = await refusal(open(paths))
      expect(text).toMatch(
        /record (10|11|12) in 0{15}1\.segment, at byte \d+: .*\bshort|ends with record (9|10|11) in 0{15}1\.segment/,
      )
      expect(text).toContain("record 12")
      expect(readFileSync(segment.path)).toHaveLength(cut)
    }
  })

  test("at any byte above the acknowledged end loses the torn record, which is kept aside and reported", async () => {
    const paths = await killedStore(12, 1e6)
    const {segment, bytes, cuts, ends, start} = await lastThree(paths)
    const catalog = readFileSync(paths.catalog)
    const early: string[] = []
    await new FileStore({folder: paths.folder}).read(9, 9, text => early.push(text))
    const head = {origin: authority, authority, seq: 9, hash: JSON.parse(early[0] ?? "").hash}
    for (const cut of cuts) {
      await writeAcknowledged(paths.acknowledged, head)
      writeFileSync(segment.path, bytes.subarray(0, cut))
      const store = new FileStore({folder: paths.folder})
      const opened = await store.open(authority)
      const whole = [start, ...ends].filter(end => end <= cut)
      const from = whole.at(-1) ?? 0
      expect(opened.catalog.head.seq).toBe(8 + whole.length)
      if (from === cut) expect(opened.cut).toBeUndefined()
      else {
        expect(opened.cut).toMatchObject({segment: segment.name, record: 9 + whole.length, bytes: cut - from})
        const kept = opened.cut?.kept ?? ""
        expect(readFileSync(kept)).toEqual(bytes.subarray(from, cut))
        rmSync(kept)
      }
      expect(readFileSync(segment.path)).toEqual(bytes.subarray(0, from))
      await store.close(opened.catalog)
      writeFileSync(paths.catalog, catalog)
    }
  })
})

const rmSegments = (journal: string) => {
  for (const name of readdirSync(journal)) if (name.endsWith(".segment")) rmSync(join(journal, name))
}

describe("damage in the middle of the files is refused, naming segment and record:", () => {
  const damage: readonly (readonly [string, (paths: StorePaths, names: readonly string[]) => void, RegExp])[] = [
    [
      "a byte",
      ({journal}, names) => {
        const path = join(journal, names[1] ?? "")
        const bytes = readFileSync(path)
        bytes[40] = (bytes[40] ?? 0) ^ 1
        writeFileSync(path, bytes)
      },
      /record (\d+) in 0+\1\.segment, at byte 0: its checksum does not match its bytes/,
    ],
    [
      "a segment that is missing",
      ({journal}, names) => rmSync(join(journal, names[1] ?? "")),
      /record \d+ in \d+\.segment, at byte 0: it begins with record \d+/,
    ],
    [
      "the last segment that is missing",
      ({journal}, names) => rmSync(join(journal, names.at(-1) ?? "")),
      /the Journal ends with record \d+ in \d+\.segment, but record 40 was acknowledged/,
    ],
    [
      "a segment in the place of another",
      ({journal}, names) => cpSync(join(journal, names[0] ?? ""), join(journal, names[1] ?? "")),
      /record \d+ in \d+\.segment, at byte 0: it has the number 1/,
    ],
    [
      "a segment that was cut at a record",
      ({journal}, names) => {
        const path = join(journal, names[0] ?? "")
        const bytes = readFileSync(path)
        writeFileSync(path, bytes.subarray(0, endsIn(bytes).at(-2)))
      },
      /record \d+ in \d+\.segment, at byte 0: it begins with record \d+/,
    ],
    ["the acknowledged record that is missing", ({acknowledged}) => rmSync(acknowledged), /acknowledged is missing/],
    [
      "a Journal that is missing",
      ({journal}) => rmSegments(journal),
      /the Journal has no segment, but record 40 was acknowledged/,
    ],
  ]

  test.each(damage)("%s", async (_, spoil, expected) => {
    const paths = copyOf(await killedStore(40, 3000))
    const names = (await listSegments(paths.journal)).map(({name}) => name)
    expect(names.length).toBeGreaterThan(3)
    spoil(paths, names)
    expect(await refusal(open(paths))).toMatch(expected)
  })
})

describe("a damaged Catalog file", () => {
  test.each<[string, (catalog: string) => void]>([
    ["that is missing", catalog => rmSync(catalog)],
    ["that is empty", catalog => writeFileSync(catalog, "")],
    ["of which a byte was changed", catalog => writeFileSync(catalog, readFileSync(catalog, "utf8").replace("1", "2"))],
    ["that was cut", catalog => writeFileSync(catalog, readFileSync(catalog).subarray(0, -10))],
  ])("%s is rebuilt from a sound Journal, and kept beside it", async (_, spoil) => {
    const paths = copyOf(await killedStore(40, 3000))
    const sound = await open(copyOf(paths))
    spoil(paths.catalog)
    const before = existsSync(paths.catalog) ? readFileSync(paths.catalog) : undefined
    const {catalog, rebuilt} = await open(paths)
    expect(rebuilt?.wrong).toMatch(/workroom-catalog\.json (is missing|was changed)/)
    expect(catalog.text()).toBe(sound.catalog.text())
    expect(readFileSync(paths.catalog, "utf8")).toBe(catalog.text())
    expect(rebuilt?.kept === undefined ? undefined : readFileSync(rebuilt.kept)).toEqual(before)
    expect(await open(paths)).not.toHaveProperty("rebuilt")
  })

  test("is not rebuilt if the acknowledged number is unreadable or the Journal ends before it", async () => {
    const whole = await killedStore(40, 3000)
    const numberless = copyOf(whole)
    rmSync(numberless.catalog)
    rmSync(numberless.acknowledged)
    expect(await refusal(open(numberless))).toContain("workroom-catalog.json is missing")
    const short = copyOf(whole)
    rmSync(short.catalog)
    rmSync((await listSegments(short.journal)).at(-1)?.path ?? "")
    expect(await refusal(open(short))).toContain("but record 40 was acknowledged")
    for (const {catalog} of [numberless, short]) expect(existsSync(catalog)).toBe(false)
  })
})

describe("damaged Catalog rows", () => {
  test.each([
    ["the first is missing", "DELETE FROM workroom_catalog WHERE item = 1"],
    ["the last is missing", "DELETE FROM workroom_catalog WHERE item = (SELECT max(item) FROM workroom_catalog)"],
    ["all are missing", "DELETE FROM workroom_catalog"],
    ["one is not JSON", "UPDATE workroom_catalog SET data = 'x' WHERE item = 2"],
    ["one was edited", "UPDATE workroom_catalog SET data = replace(data, 'user:', 'user-') WHERE item = 2"],
    ["one has another's text", "UPDATE workroom_catalog SET data = (SELECT data FROM workroom_catalog WHERE item = 1)"],
    [
      "one too many",
      "INSERT INTO workroom_catalog SELECT max(item) + 1, replace(data, '\"id\":1,', '\"id\":99,') FROM workroom_catalog",
    ],
    ["one below the first", "INSERT INTO workroom_catalog SELECT -1, data FROM workroom_catalog WHERE item = 1"],
  ])("are refused by an examination, and rebuilt from a sound Journal and named at a start: %s", async (_, sql) => {
    const place = await tablePlace()
    await fill(await place.open(), 20)
    const [store, database] = [await place.store(), await place.database()]
    const rows = async () => {
      const found = await database.read("SELECT item, data FROM workroom_catalog")
      return new Map(found.map(({item, data}) => [Number(item), data]))
    }
    const [sound, before] = [await store.kept(), await rows()]
    await database.write([{sql}])
    const spoiled = await rows()
    const wrong = [...before.keys(), ...spoiled.keys()].filter(item => before.get(item) !== spoiled.get(item))
    expect(await refusal(examineTables(database))).toMatch(/workroom_catalog/)
    expect(await rows()).toEqual(spoiled)
    const said: string[] = []
    const open = () => Workroom.open({store, authority, log: {...log, warn: text => said.push(text)}})
    expect((await open()).mark().catalog).toBe(sound.text)
    expect(await store.kept()).toEqual(sound)
    await open()
    expect(said).toEqual([expect.stringMatching(/^workroom_catalog [^:]+: .*\bCatalog\b.*\brebuilt\b.* 20$/)])
    const named = said[0]?.split(":")[0]?.match(/-?\d+/g)?.map(Number)
    expect(new Set(named)).toEqual(new Set(wrong))
  })

  test("are not rebuilt from a damaged Journal", async () => {
    const place = await tablePlace()
    await fill(await place.open(), 20)
    const database = await place.database()
    await database.write([{sql: "DELETE FROM workroom_catalog"}, {sql: "DELETE FROM workroom_events WHERE seq = 7"}])
    expect(await refusal(place.open())).toContain("record 7 in workroom_events")
    expect(await database.read("SELECT 1 FROM workroom_catalog")).toEqual([])
  })
})

describe("damage of the tables is refused, naming the record:", () => {
  test.each([
    [
      "a record that was changed",
      "UPDATE workroom_events SET record = replace(record, 'user:', 'user-') WHERE seq = 7",
      /record 7 in workroom_events/,
    ],
    [
      "a record that is missing",
      "DELETE FROM workroom_events WHERE seq = 7",
      /record 7 in workroom_events: it has the number 8/,
    ],
    [
      "the last record that is missing",
      "DELETE FROM workroom_events WHERE seq = 20",
      /ends at record 19, but record 20 was acknowledged/,
    ],
    [
      "a record too many",
      "INSERT INTO workroom_events SELECT 21, item, record FROM workroom_events WHERE seq = 20",
      /has record 21, but the last that was acknowledged is 20/,
    ],
    [
      "a head that is behind",
      "UPDATE workroom_head SET seq = 19",
      /record 19 in workroom_events is not the one|has record 20/,
    ],
  ])("%s", async (_, sql, expected) => {
    const place = await tablePlace()
    await fill(await place.open(), 20)
    await (await place.database()).write([{sql}])
    expect(await refusal(place.open())).toMatch(expected)
  })

  test.each([
    ["a Catalog row", 'UPDATE workroom_catalog SET data = replace(data, \'"priority":"low"\', \'"priority":"high"\')'],
    ["a record", "UPDATE workroom_events SET record = replace(record, 'user:', 'user-') WHERE seq = 20"],
  ])("while the workroom is open, verifying finds %s that was changed, and no list shows it", async (_, sql) => {
    const place = await tablePlace()
    const workroom = await place.open()
    await fill(workroom, 20)
    await workroom.verify()
    const newest = (await workroom.journal(21, 1))[0]?.item ?? 0
    const before = [workroom.items, await workroom.journal(20, 9)]
    await (await place.database()).write([{sql}])
    expect(await refusal(workroom.verify())).toMatch(/\brecord 20\b/)
    expect([workroom.items, await workroom.journal(20, 9)]).toEqual(before)
    if (!sql.includes("workroom_events")) return
    await refusal(workroom.journal(21, 9))
    await refusal(workroom.journalOf(newest, 21, 9))
  })
})

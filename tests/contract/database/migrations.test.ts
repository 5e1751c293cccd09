import {describe, expect, test} from "vitest"
import {type Database, openUnmigrated, type Row} from "../../../server/database/database.ts"
import {readCrossed} from "../../../server/database/migrations/irreversible.ts"
import {isIrreversible, type Migration, migrations} from "../../../server/database/migrations/migrations.ts"
import {withoutHost} from "../../../server/database/without-host.ts"
import {engines, localDatabase, open} from "../../support/database/databases.ts"
import {startRow} from "../../support/database/insert.ts"
import {irreversible, newest, reversible} from "../../support/host/next-version.ts"

const tablesOf = async (database: Database): Promise<readonly string[]> =>
  (
    await database.read(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT IN ('svc_group', 'svc_migrations', 'svc_lease', 'svc_lease_check') ORDER BY name",
    )
  ).map(({name}) => String(name))

const columnsOf = (database: Database, table: string): Promise<readonly Row[]> =>
  database.read("SELECT name, type FROM pragma_table_info(?) ORDER BY cid", [table])

/** Adds a row to each empty table; its content does not matter. */
const fill = async (database: Database): Promise<void> => {
  for (const table of await tablesOf(database)) {
    if ((await database.read(`SELECT 1 FROM "${table}" LIMIT 1`)).length > 0) continue
    const columns = await columnsOf(database, table)
    const values = columns.map(({type}) => (type === "INTEGER" ? 1 : '{"one":1}'))
    const names = columns.map(({name}) => `"${name}"`)
    const sql = `INSERT INTO "${table}" (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`
    await database.write([{sql, args: values}])
  }
}

/** All rows, by table, with the columns that exist. */
const contentOf = async (
  database: Database,
  columns: ReadonlyMap<string, readonly string[]>,
): Promise<Record<string, readonly Row[]>> => {
  const content: Record<string, readonly Row[]> = {}
  for (const [table, names] of columns)
    content[table] = await database.read(`SELECT ${names.join(", ")} FROM "${table}" ORDER BY ${names.join(", ")}`)
  return content
}

const shapeOf = async (database: Database): Promise<ReadonlyMap<string, readonly string[]>> => {
  const shape = new Map<string, readonly string[]>()
  for (const table of await tablesOf(database))
    shape.set(
      table,
      (await columnsOf(database, table)).map(({name}) => `"${name}"`),
    )
  return shape
}

test.each(migrations.slice(1).filter(migration => !isIrreversible(migration)))(
  "migration $version ($name) is reversible as declared: stored rows stay as they were",
  async ({version}) => {
    const location = await localDatabase()
    const older = migrations.slice(0, version - 1)
    const before = await open(location, {known: older})
    await fill(before)
    const shape = await shapeOf(before)
    const content = await contentOf(before, shape)
    expect(Object.keys(content).length).toBeGreaterThan(0)
    await before.close()
    const after = await open(location, {known: migrations.slice(0, version)})
    expect(after.applied).toEqual([version])
    expect(await contentOf(after, shape)).toEqual(content)
    expect(await after.read("PRAGMA integrity_check")).toEqual([{integrity_check: "ok"}])
  },
)

test("a migration of a database that a Host has used reports progress per statement", async () => {
  const location = await localDatabase()
  await (await open(location, {known: migrations.slice(0, 13)})).close()
  const database = await openUnmigrated(location, withoutHost())
  const heard: [string, number, number][] = []
  const progress = (what: string, done: number, total: number) => void heard.push([what, done, total])
  await database.bringUp(migrations.slice(0, 14), {...withoutHost(), progress})
  await database.close()
  const total = (migrations[13]?.statements.length ?? 0) + 1
  expect(heard).toEqual(Array.from({length: total}, (_, done) => ["migration 14 (state-indexes)", done, total]))
})

test("every migration says whether it can be undone, and how or why not", () => {
  const said = migrations.map(migration => ("undo" in migration ? migration.undo : migration.irreversible))
  expect(said.filter(text => text.length < 5)).toEqual([])
})

const next: readonly Migration[] = [...migrations, irreversible, reversible]

describe.each(engines)("in $name", ({make}) => {
  test.each([1, 5, 8, 11, newest])("an irreversible migration awaits a restore point, from schema %i", async schema => {
    const location = await make()
    const before = await open(location, {known: migrations.slice(0, schema)})
    await before.write([startRow(1)])
    await before.close()
    await expect(open(location, {known: next})).rejects.toMatchObject({
      code: "migration_refused",
      message: expect.stringContaining(`migration ${newest + 1} (${irreversible.name}) cannot be undone`),
    })
    const untouched = await openUnmigrated(location, withoutHost())
    expect(untouched.state).toEqual({is: "initialized", schema})
    const applied = await untouched.bringUp(next, {...withoutHost(), restorePoint: "checkpoint-1"})
    expect(applied.map(({version}) => version)).toEqual(next.slice(schema).map(({version}) => version))
    const {version, name} = irreversible
    const why = "the ids that platforms gave to messages are dropped"
    expect(await readCrossed(untouched, newest)).toEqual([
      {plugin: null, version, name, what: `migration ${version} (${name})`, why, restorePoint: "checkpoint-1"},
    ])
    expect(await readCrossed(untouched, newest + 1)).toEqual([])
    await untouched.close()
  })

  test("a database that no Host has used has nothing to lose", async () => {
    const location = await make()
    await (await open(location, {known: migrations})).close()
    expect((await open(location, {known: next})).applied).toEqual([newest + 1, newest + 2])
  })
})

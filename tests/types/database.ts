import {definePlugin, type Row, Type} from "svc-runtime"

const Note = Type.Object({id: Type.Integer(), done: Type.Boolean()})

/** Checked by the compiler: a line below an `@ts-expect-error` must fail to compile, all others must compile. */
export default definePlugin({
  setup(plugin) {
    const {database} = plugin
    plugin.command("notes", async ({session}) => {
      const [note] = await session.database.read("SELECT * FROM notes", [], Note)
      const done: boolean | undefined = note?.done
      const [plain] = await database.read("SELECT * FROM notes")
      const row: Row | undefined = plain
      // @ts-expect-error: the schema has no such column
      note?.text
      // @ts-expect-error: without a schema a value may be any SQLite value
      const id: number = plain?.id
      // @ts-expect-error: a queued statement has no result
      const [queued] = await session.database.write([{sql: "DELETE FROM notes"}])
      return `${done} ${row} ${id} ${queued}`
    })
    plugin.onStart(async () => {
      const [added, cleaned] = await database.write([
        {sql: "INSERT INTO notes DEFAULT VALUES RETURNING *", row: Note},
        {sql: "DELETE FROM notes WHERE done"},
      ])
      const ids: readonly number[] = added.rows.map(({id}) => id)
      const count: number = cleaned.changes
      // @ts-expect-error: the schema has no such column
      added.rows[0]?.text
      const statements = ids.map(id => ({sql: "DELETE FROM notes WHERE id = ?", args: [id]}))
      return (await database.write(statements)).reduce((sum, {changes}) => sum + changes, count)
    })
  },
})

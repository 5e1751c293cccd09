import {existsSync, readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"
import {root} from "../root.ts"
import {roomOf, sourceFiles} from "./graph.ts"

/** A table of the database: the room that declares it, and the files of other rooms whose SQL names it. */
export interface Table {
  readonly name: string
  /** Undefined if no room declares it. */
  readonly owner: string | undefined
  readonly strangers: readonly string[]
}

const read = (path: string) => readFileSync(join(root, path), "utf8")

const migrations = "server/database/migrations/"

/** Returns the tables that a migration creates and none drops or renames. */
const createdTables = (): readonly string[] => {
  const sql = sourceFiles([migrations]).map(read).join("\n")
  const namesOf = (pattern: RegExp) => [...sql.matchAll(pattern)].map(match => match[1] ?? "")
  const created = namesOf(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g)
  const renamed = namesOf(/RENAME TO (\w+)/g)
  const gone = new Set([...namesOf(/ALTER TABLE (\w+) RENAME TO/g), ...namesOf(/DROP TABLE (?:IF EXISTS )?(\w+)/g)])
  return [...created.filter(name => !gone.has(name)), ...renamed]
}

/** Returns the room of each declared table: the first that lists it in its `tables.ts`. */
const owners = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(join(root, "server")).flatMap(room => {
      const file = `server/${room}/tables.ts`
      const names = existsSync(join(root, file)) ? read(file).matchAll(/"(\w+)"/g) : []
      return [...names].map(([, name = ""]) => [name, `server/${room}`] as const)
    }),
  )

/** Reads the SQL of the program: which files name a table. The schema's migrations do not count. */
export const readTables = (): readonly Table[] => {
  const owned = owners()
  const files = sourceFiles(["shared", "server", "cli"]).filter(file => !file.startsWith(migrations))
  const texts = files.map(file => [file, read(file)] as const)
  return [...new Set([...createdTables(), ...owned.keys()])].sort().map(name => {
    const owner = owned.get(name)
    const inSql = new RegExp(`(?:FROM|JOIN|INTO|UPDATE|TABLE|ON|EXISTS)\\s+${name}\\b|table: "${name}"`)
    const inText = new RegExp(`["']${name}["']`)
    // Some names are words too.
    const names = (text: string) => inSql.test(text) || (name.includes("_") && inText.test(text))
    return {
      name,
      owner,
      strangers: texts.filter(([file, text]) => roomOf(file) !== owner && names(text)).map(([file]) => file),
    }
  })
}

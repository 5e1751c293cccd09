import type {Row, Statement} from "../../shared/plugin-database.ts"
import type {Database} from "./database.ts"
import type {IrreversibleMigration} from "./migrations.ts"

/**
 * A migration that a database has got and that cannot be undone. The database itself tells of it, so that an older svc, which
 * does not know the migration, can say what stands between them.
 */
export interface Crossed {
  readonly version: number
  readonly name: string
  readonly why: string
  /** What has the data as it was before; null where nobody needed it. */
  readonly restorePoint: string | null
}

const prefix = "irreversible."

export const noteIrreversible = (
  {version, name, irreversible: why}: IrreversibleMigration,
  restorePoint: string | undefined,
): Statement => ({
  sql: "INSERT INTO svc_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  args: [`${prefix}${version}`, JSON.stringify({name, why, restorePoint: restorePoint ?? null})],
})

/** Those above a schema, in their order. */
export const readCrossed = async (database: Pick<Database, "read">, schema: number): Promise<readonly Crossed[]> => {
  const rows = await database.read("SELECT key, value FROM svc_meta WHERE key GLOB ?", [`${prefix}*`])
  return rows
    .map(crossedOf)
    .filter(({version}) => version > schema)
    .sort((one, other) => one.version - other.version)
}

const crossedOf = ({key, value}: Row): Crossed => {
  // noteIrreversible wrote it.
  const {name, why, restorePoint} = JSON.parse(String(value)) as Omit<Crossed, "version">
  return {version: Number(String(key).slice(prefix.length)), name, why, restorePoint}
}

/** In words, for whoever goes back across it. */
export const describeCrossed = ({version, name, why, restorePoint}: Crossed): string =>
  `migration ${version} (${name}) cannot be undone: ${why}${restorePoint === null ? "" : `; checkpoint ${restorePoint} was made before it`}`

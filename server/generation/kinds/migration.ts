import type {PluginMigration} from "../../../shared/sdk/session/database.ts"
import {requireKeys} from "../checks/keys.ts"
import {declarationsOf, type Setup} from "./kind.ts"

export const migrations = (setup: Setup) => {
  const declared: PluginMigration[] = []
  const migrate = (added: readonly PluginMigration[]): void => {
    setup.begin("database.migrate")
    for (const migration of added) {
      requireMigration(migration, new Set(declared.map(({name}) => name)))
      declared.push(migration)
    }
  }
  return declarationsOf({methods: {migrate}, declared})
}

const hasWords = (value: unknown): value is string => typeof value === "string" && value.trim() !== ""

/** Checks what the type forbids, because plugins may be JavaScript. */
const requireMigration = (migration: PluginMigration, known: ReadonlySet<string>): void => {
  const {name, up, undo, irreversible} = migration
  if (!hasWords(name)) throw new TypeError("database.migrate(): each migration needs a name")
  const what = `database.migrate(): migration "${name}"`
  requireKeys(what, migration, "migrate")
  if (known.has(name)) throw new Error(`${what} is given twice`)
  if (typeof up !== "function") throw new TypeError(`${what} needs up()`)
  if (undo !== undefined && irreversible !== undefined)
    throw new Error(`${what} declares both undo and irreversible; keep one of them`)
  const said = undo ?? irreversible
  if (said !== undefined && !hasWords(said))
    throw new TypeError(`${what} must say in words how to undo it (undo), or why that is impossible (irreversible)`)
}

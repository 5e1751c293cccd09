import {readFile, writeFile} from "node:fs/promises"
import {join} from "node:path"
import {withChanges} from "../config/edit/changes.ts"

/** The first account of a new project on a platform. */
export interface NewAccount {
  /** The name of the adapter. */
  readonly plugin: string
  readonly id: string
  /** The account without its id. Secrets are the names of variables. */
  readonly value: Readonly<Record<string, unknown>>
  /** The secrets by their variables. */
  readonly secrets: Readonly<Record<string, string>>
  /** The packages of the adapter, each in the version that svc is tested with. */
  readonly libraries: Readonly<Record<string, string>>
}

/** Adds the account to a project's configuration, and writes its secrets to a new `.env` that only the owner can read. */
export const writeAccount = async (folder: string, {plugin, id, value, secrets}: NewAccount): Promise<void> => {
  const file = join(folder, "svc.config.yml")
  const text = withChanges(await readFile(file, "utf8"), [
    {change: "add_plugin", plugin},
    {change: "add_account", plugin, account: id, value},
  ])
  await writeFile(file, text)
  const lines = Object.entries(secrets).map(([variable, secret]) => `${variable}=${secret}\n`)
  await writeFile(join(folder, ".env"), lines.join(""), {mode: 0o600, flag: "wx"})
}

import {fromJson, toJson} from "../../../shared/json.ts"
import type {Variables} from "../../config/expand.ts"
import type {Database} from "../../database/database.ts"
import {readMeta, setMeta} from "../../database/state/meta.ts"
import type {SecretValues} from "./search.ts"

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** Returns the variables of a configuration whose values are among the given secrets. */
export const nameSecrets = (text: string, variables: Variables, values: Iterable<string>): SecretValues => {
  const known = new Set(values)
  const names = [...text.matchAll(reference)].map(match => match[1] ?? "")
  return Object.fromEntries(Object.entries(valuesOf(names, variables)).filter(([, value]) => known.has(value)))
}

/** Returns the names that have a value in this environment, with these values. */
export const valuesOf = (names: readonly string[], variables: Variables): SecretValues =>
  Object.fromEntries(
    names.flatMap(name => {
      const value = variables[name]
      return value === undefined || value === "" ? [] : [[name, value] as const]
    }),
  )

const key = "secret_names"

/** Stores the names for a checkpoint without a running Host, which cannot ask the plugins which of their keys are secret. */
export const rememberNames = async (database: Database, names: readonly string[]): Promise<void> => {
  const value = toJson([...names].sort())
  if ((await readMeta(database, key)) === value) return
  await database.write([setMeta(key, value)])
}

export const readNames = async (database: Database): Promise<readonly string[]> =>
  fromJson((await readMeta(database, key)) ?? "[]") as string[]

import type {ConfigChange} from "../../../shared/api/configuration/file.ts"
import {isObject} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import {showRunning} from "../../runtime/flow/handler-slots.ts"
import {formatPath, type Path} from "../../runtime/text/path.ts"
import {didYouMean} from "../../runtime/text/suggest.ts"
import {placesIn, readYaml} from "../text/yaml.ts"
import {most} from "../text/yaml-value.ts"
import {read, withoutValue, withValue} from "./text.ts"

/**
 * Applies changes to the text of a configuration, one after the other. Every character outside the changes stays.
 * Throws `config_invalid` for a broken text, `config_not_editable`, `plugin_unknown`, `endpoint_unknown`, `conflict`.
 */
export const withChanges = (text: string, changes: readonly ConfigChange[]): string =>
  showRunning("svc: changes of the configuration", () => {
    const end = performance.now() + limit
    return changes.reduce((now, each) => {
      if (performance.now() < end) return withChange(now, each)
      const hint = "Send fewer changes at once, or the whole text."
      throw new Problem("config_not_editable", `the changes take longer than ${limit / 1000} s`, {hint})
    }, text)
  })

/** How long the changes may take together, in milliseconds. */
const limit = 10_000

const withChange = (text: string, change: ConfigChange): string => {
  const {plugin} = change
  const at: Path = ["plugins", plugin]
  const entries = pluginsOf(text)
  if (change.change === "add_plugin") {
    if (Object.hasOwn(entries, plugin)) throw new Problem("conflict", `a plugin "${plugin}" already exists`)
    const {use, config} = change
    return set(text, at, {...(use === undefined ? {} : {use}), ...(config === undefined ? {} : {config})})
  }
  if (!Object.hasOwn(entries, plugin))
    throw new Problem("plugin_unknown", `the file has no plugin "${plugin}"${didYouMean(plugin, Object.keys(entries))}`)
  const entry = entries[plugin]
  switch (change.change) {
    case "remove_plugin":
      return remove(text, at)
    case "enable_plugin":
      // A plugin is enabled unless the configuration disables it.
      return remove(text, [...at, "enabled"])
    case "disable_plugin":
      return set(text, [...at, "enabled"], false, true)
    case "set":
      return set(text, [...settingsOf(at, entry, change.account), ...change.path], givenIn(change))
    case "remove":
      return remove(text, [...settingsOf(at, entry, change.account), ...change.path])
    case "add_account": {
      const {account, value} = change
      const accounts = accountsOf(entry)
      if (accounts.includes(account)) throw new Problem("conflict", `${plugin} already has an account "${account}"`)
      const {id: _, ...others} = value
      return set(text, [...at, "endpoints", accounts.length], {id: account, ...others})
    }
    case "remove_account":
      return remove(text, accountAt(at, entry, change.account))
  }
}

/** Throws `request_invalid` for invalid YAML. */
const givenIn = ({path, value, yaml}: Extract<ConfigChange, {change: "set"}>): unknown => {
  if (yaml === undefined) return value ?? null
  const {value: read, flaws, duplicates} = readYaml(yaml)
  const [flaw] = [...flaws, ...duplicates]
  if (flaw === undefined) return read ?? null
  const {line, column} = placesIn(yaml)(flaw.offset)
  throw new Problem("request_invalid", `${formatPath(path)} is not valid YAML: ${line}:${column} ${flaw.message}`)
}

const set = (text: string, path: Path, value: unknown, isFirst = false): string =>
  (isShallow(value, most.depth) ? withValue(text, path, value, isFirst) : undefined) ?? refuse(path)

const isShallow = (value: unknown, levels: number): boolean =>
  typeof value !== "object" || value === null
    ? true
    : levels > 0 && Object.values(value).every(item => isShallow(item, levels - 1))

const remove = (text: string, path: Path): string => withoutValue(text, path) ?? refuse(path)

const refuse = (path: Path): never => {
  throw new Problem("config_not_editable", `${formatPath(path)} cannot be changed without other parts of the file`)
}

const settingsOf = (at: Path, entry: unknown, account: string | undefined): Path =>
  account === undefined ? [...at, "config"] : accountAt(at, entry, account)

const accountAt = (at: Path, entry: unknown, account: string): Path => {
  const accounts = accountsOf(entry)
  const index = accounts.indexOf(account)
  if (index >= 0) return [...at, "endpoints", index]
  const known = accounts.filter(id => typeof id === "string")
  throw new Problem("endpoint_unknown", `${formatPath(at)} has no account "${account}"${didYouMean(account, known)}`)
}

const accountsOf = (entry: unknown): readonly unknown[] => {
  const {endpoints} = fieldsOf(entry)
  return Array.isArray(endpoints) ? endpoints.map(account => fieldsOf(account).id) : []
}

const pluginsOf = (text: string): Readonly<Record<string, unknown>> => {
  const {plugins} = fieldsOf(read(text))
  return isObject(plugins) ? plugins : {}
}

import {type Endpoint, isRefusal, refused} from "../../../shared/sdk/sdk.ts"
import {type Fields, fieldsOf} from "../satori/fields.ts"
import {type AccountSettings, configOf} from "./account.ts"
import {refuseBuiltIn} from "./known.ts"
import type {Core, Schema, StockPlugin} from "./koishi.ts"
import {Veil} from "./veil.ts"

/** A Koishi adapter with its validated configuration. */
export interface Stock {
  readonly name: string
  readonly core: Core
  readonly plugin: StockPlugin
  readonly config: Fields
  readonly veil: Veil
}

/** Loads the account's package. Throws a refusal if it is missing, is not an adapter, or rejects its configuration. */
export const loadStock = async (account: AccountSettings, load: Endpoint["load"]): Promise<Stock> => {
  refuseBuiltIn(account.package)
  const core = coreIn(await load("@satorijs/core"))
  const plugin = pluginIn(await load(account.package), account.package)
  // Koishi's logger writes to stdout, including tokens.
  core.Logger.targets.length = 0
  if (needsServer(plugin.inject)) throw serverMissing(account.package)
  const veil = new Veil(account)
  return {name: account.package, core, plugin, config: checkConfig(account, plugin.Config, veil), veil}
}

/** One runtime loads a CommonJS module as a namespace of its names, another puts it in `default`. */
const coreIn = (loaded: unknown): Core =>
  ("Context" in fieldsOf(loaded) ? loaded : fieldsOf(loaded).default) as unknown as Core

const pluginIn = (loaded: unknown, name: string): StockPlugin => {
  const outer = loaded as Fields
  const inner = outer.default as Fields | undefined
  const plugin = [inner, inner?.default, outer].find(each => typeof each === "function" || hasApply(each))
  if (plugin === undefined)
    throw refused(`${name} exports no Koishi plugin`, {
      reason: "package",
      remediation: "Correct package in the account: it must be a package such as @satorijs/adapter-kook.",
    })
  return plugin as StockPlugin
}

const hasApply = (value: unknown): boolean => typeof fieldsOf(value).apply === "function"

const needsServer = (inject: StockPlugin["inject"] = []): boolean => {
  if (Array.isArray(inject)) return inject.includes("server")
  const {required, server} = fieldsOf(inject)
  return (Array.isArray(required) && required.includes("server")) || fieldsOf(server).required === true
}

/** Returns the refusal for an adapter that receives webhooks through Koishi's server. */
export const serverMissing = (name: string): Error =>
  refused(`${name} receives webhooks through Koishi's server, which svc does not have`, {
    reason: "server",
    remediation:
      "Choose a protocol in which the adapter itself connects (protocol: ws, websocket or polling), if it has one. Otherwise run it in Koishi, and connect svc to Koishi with the adapter satori.",
  })

const checkConfig = (account: AccountSettings, schema: Schema | undefined, veil: Veil): Fields => {
  const remediation = `Correct config and secrets in the account: ${account.package} documents its keys. Then run svc runtime reload.`
  const refuse = (what: string) => refused(what, {reason: "config", remediation})
  const config = configOf(account)
  for (const [path, value] of leavesOf(account.config)) {
    if (value.includes("${"))
      throw refuse(`config.${path}: variables belong to secrets, as secrets: {${path}: \${NAME}}`)
    if (secretsOf(schema).includes(path))
      throw refuse(`config.${path} is a secret of the adapter: write it as secrets: {${path}: \${NAME}}`)
  }
  if (typeof schema !== "function") return config
  try {
    return fieldsOf(schema(config))
  } catch (error) {
    if (isRefusal(error)) throw error
    const path = fieldsOf(fieldsOf(error).options).path
    const key = Array.isArray(path) && path.length > 0 ? `config.${path.join(".")}: ` : "config: "
    throw refuse(`${key}${veil.reason(error).replace(/^\$\S* | but got .*/g, "")}`)
  }
}

/** Returns the texts of a configuration with their paths. */
const leavesOf = (value: unknown, path: readonly string[] = []): readonly (readonly [string, string])[] => {
  if (typeof value === "string") return [[path.join("."), value]]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]))
}

/** Returns the paths of a schema's secret keys. */
const secretsOf = (schema: Schema | undefined, path: readonly string[] = []): readonly string[] => {
  if (schema === undefined) return []
  const own = schema.meta?.role === "secret" ? [path.join(".")] : []
  const members = (schema.list ?? []).flatMap(each => secretsOf(each, path))
  return [
    ...own,
    ...members,
    ...Object.entries(schema.dict ?? {}).flatMap(([key, each]) => secretsOf(each, [...path, key])),
  ]
}

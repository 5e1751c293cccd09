import {type PluginEntry, ProjectConfig} from "../../../shared/config/config.ts"
import {isObject} from "../../../shared/json.ts"
import type {Issue} from "../../../shared/problems.ts"
import type {AdapterDefinition} from "../../../shared/sdk/adapter/adapter.ts"
import type {PermissionRule} from "../../../shared/sdk/session/permission.ts"
import type {Shape, TSchema} from "../../../shared/type.ts"
import {fits} from "../../config/check.ts"
import {closed} from "../../config/close.ts"
import type {LoadedConfig} from "../../config/load.ts"
import {schemaAt, valueAt} from "../../runtime/text/explain.ts"
import type {Path} from "../../runtime/text/path.ts"
import {didYouMean} from "../../runtime/text/suggest.ts"
import type {Instance} from "../instances/instance.ts"

type Adapters = ReadonlyMap<string, AdapterDefinition<TSchema>>

/** Returns what the configuration has wrong about endpoints, and each unknown one. `adapters` is by endpoint. */
export const endpointIssues = (loaded: LoadedConfig, instances: readonly Instance[], adapters: Adapters): Issue[] => {
  const {agents} = loaded.config
  const unknown: Judge = (name, at) => unknownEndpoint(loaded, adapters, name, at)
  return [
    ...permissionIssues(loaded, adapters),
    ...judgeNames(ProjectConfig, loaded.config, [], (name, at) => {
      const [area = "", agent = ""] = at
      const isAll = name === "*" && ["permissions", "languages"].includes(`${area}`)
      const isOff = area === "agents" && agents[agent]?.enabled === false
      return isAll || isOff ? [] : unknown(name, at)
    }),
    ...instances.flatMap(({name, plugin: {definition}, config}) =>
      judgeNames(definition.config && closed(definition.config), config, ["plugins", name, "config"], unknown),
    ),
  ]
}

type Judge = (name: string, at: Path) => readonly Issue[]

/** Judges each `Type.Endpoint()` in a checked value. Of a union's branches, one without a finding is enough. */
const judgeNames = (schema: TSchema | undefined, value: unknown, at: Path, judge: Judge): readonly Issue[] => {
  const {anyOf = [], allOf = [], format, items, ...keys}: Shape = schema ?? {}
  if (typeof value === "string" && format === "endpoint") return judge(value, at)
  const below = (inner: TSchema | undefined, item: unknown, ...part: Path) =>
    judgeNames(inner, item, [...at, ...part], judge)
  const branches = anyOf.filter(branch => fits(branch, value)).map(branch => below(branch, value))
  const own = [branches.find(each => each.length === 0) ?? branches[0] ?? [], ...allOf.map(each => below(each, value))]
  const inner = Array.isArray(value)
    ? value.map((item, index) => below(Array.isArray(items) ? items[index] : items, item, index))
    : Object.entries(isObject(value) ? value : {}).map(([key, item]) => below(schemaAt(keys, key), item, key))
  return [...own, ...inner].flat()
}

const listOf = (names: readonly string[]): string =>
  `${names.slice(0, 30).join(", ") || "none"}${names.length > 30 ? ` and ${names.length - 30} more` : ""}`

/** Endpoints of a disabled plugin do not exist, but may be named. */
const unknownEndpoint = ({source, config}: LoadedConfig, adapters: Adapters, name: string, at: Path): Issue[] => {
  if (adapters.has(name) || Object.entries(config.plugins).some(plugin => mayHave(name, ...plugin))) return []
  const [known, written] = [[...adapters.keys()], valueAt(source.raw, at)]
  // What the environment supplied is not shown.
  const isVariable = typeof written === "string" && written !== name
  const slot = known.find(each => each.startsWith(`${name}~`))
  const meant = slot === undefined ? didYouMean(name, known) : ` (did you mean "${slot}"?)`
  const what = isVariable ? `that ${written} names` : `"${name}"${meant}`
  return [source.issue(at, `there is no endpoint ${what}; known endpoints: ${listOf(known)}`)]
}

const permissionIssues = (loaded: LoadedConfig, adapters: Adapters): Issue[] =>
  loaded.config.permissions.flatMap((rule, index) => {
    const {source} = loaded
    const at = ["permissions", index]
    const adapter = adapters.get(rule.endpoint)
    const role = adapter === undefined ? undefined : roleIssue(rule, adapter)
    if (role !== undefined) return [source.issue([...at, "role"], role, "key")]
    // Only a rule that grants something by the user's id alone can be abused.
    if (rule.permission === "user" || rule.user === undefined || rule.account !== undefined) return []
    if (adapter?.claimedUsers !== true) return []
    const message = `anybody can take a user's name on ${rule.endpoint}: name the account instead`
    return [source.issue([...at, "user"], message, "key")]
  })

const roleIssue = ({endpoint, channel, role, permission}: PermissionRule, {roles}: AdapterDefinition<TSchema>) => {
  if (role === undefined) return undefined
  if (roles === undefined) return `${endpoint} does not report the roles of users`
  if (roles === "unique" || permission === "user" || channel !== undefined) return undefined
  return `anybody can make a channel on ${endpoint} and be ${role} there: name the channel too`
}

/** Returns whether a plugin is disabled and may have this endpoint. */
const mayHave = (name: string, plugin: string, {enabled, endpoints}: PluginEntry): boolean => {
  const [slot, account] = name.split("~")
  // A plugin without accounts may have slots of any name, and webhooks.
  if (endpoints.length === 0) return !enabled && (account === undefined || plugin === slot)
  return !enabled && endpoints.some(({id}) => id === account)
}

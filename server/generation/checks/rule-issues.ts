import type {ProjectConfig} from "../../../shared/config/config.ts"
import type {Issue} from "../../../shared/problems.ts"
import type {AdapterDefinition} from "../../../shared/sdk/adapter/adapter.ts"
import type {PermissionRule} from "../../../shared/sdk/session/permission.ts"
import type {TSchema} from "../../../shared/type.ts"
import type {LoadedConfig} from "../../config/load.ts"
import type {Path} from "../../runtime/text/path.ts"
import {didYouMean} from "../../runtime/text/suggest.ts"

type Adapters = ReadonlyMap<string, AdapterDefinition<TSchema>>

/** Returns what `permissions`, `languages` and `status` have wrong about endpoints. `adapters` is by endpoint. */
export const ruleIssues = (loaded: LoadedConfig, adapters: Adapters): Issue[] => [
  ...permissionIssues(loaded, adapters),
  ...loaded.config.languages.rules.flatMap((rule, index) =>
    endpointIssues(loaded, adapters, rule, ["languages", "rules", index]),
  ),
  ...loaded.config.status.labels.flatMap(({endpoint}, index) =>
    endpoint === undefined ? [] : endpointIssues(loaded, adapters, {endpoint}, ["status", "labels", index]),
  ),
]

const endpointIssues = ({source, config}: LoadedConfig, adapters: Adapters, rule: OfEndpoint, at: Path): Issue[] => {
  if (isKnown(rule, adapters, config)) return []
  const message = `there is no endpoint "${rule.endpoint}"${didYouMean(rule.endpoint, [...adapters.keys()])}`
  return [source.issue([...at, "endpoint"], message)]
}

const permissionIssues = (loaded: LoadedConfig, adapters: Adapters): Issue[] =>
  loaded.config.permissions.flatMap((rule, index) => {
    const {source} = loaded
    const at = ["permissions", index]
    const unknown = endpointIssues(loaded, adapters, rule, at)
    if (unknown.length > 0) return unknown
    const adapter = adapters.get(rule.endpoint)
    const role = adapter === undefined ? undefined : roleIssue(rule, adapter)
    if (role !== undefined) return [source.issue([...at, "role"], role, "key")]
    if (!raises(rule) || adapter?.claimedUsers !== true) return []
    const message = `anybody can take a user's name on ${rule.endpoint}: name the account instead`
    return [source.issue([...at, "user"], message, "key")]
  })

const roleIssue = ({endpoint, channel, role, permission}: PermissionRule, {roles}: AdapterDefinition<TSchema>) => {
  if (role === undefined) return undefined
  if (roles === undefined) return `${endpoint} does not report the roles of users`
  if (roles === "unique" || permission === "user" || channel !== undefined) return undefined
  return `anybody can make a channel on ${endpoint} and be ${role} there: name the channel too`
}

type OfEndpoint = Pick<PermissionRule, "endpoint">

/** Returns whether a rule grants more than `user` by the user's id only. */
const raises = ({permission, user, account}: PermissionRule) =>
  permission !== "user" && user !== undefined && account === undefined

/** Returns whether an endpoint exists. Endpoints of a disabled plugin do not exist, but rules may name them. */
const isKnown = ({endpoint}: OfEndpoint, adapters: ReadonlyMap<string, unknown>, {plugins}: ProjectConfig): boolean => {
  if (endpoint === "*" || adapters.has(endpoint)) return true
  const [, account] = endpoint.split("~")
  return Object.values(plugins).some(
    ({enabled, endpoints}) => !enabled && (account === undefined || endpoints.some(({id}) => id === account)),
  )
}

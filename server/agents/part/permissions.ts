import {permissionOperations} from "../../../shared/api/operations/messages.ts"
import {serve} from "../../../shared/api/operations/operation.ts"
import type {MayQuery, RuleView, UseView} from "../../../shared/api/users/permissions.ts"
import type {TriggerPermission} from "../../../shared/config/agents.ts"
import {Problem} from "../../../shared/problems.ts"
import {channelType, type SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import type {Permission} from "../../../shared/sdk/session/permission.ts"
import type {Static} from "../../../shared/type.ts"
import type {LoadedConfig} from "../../config/load.ts"
import type {Generation} from "../../generation/generation.ts"
import {mayUse} from "../../messages/command/permissions.ts"
import type {Bindings} from "../bindings/bindings.ts"
import {mayStart} from "../strangers/members.ts"
import type {StrangersDesk} from "../strangers/strangers.ts"
import {mayCall} from "../tools/resolve.ts"

export interface PermissionServices {
  current(): Generation
  readonly bindings: Pick<Bindings, "list" | "toolsOf">
  readonly isMember: StrangersDesk["isMember"]
}

export const permissionRoutes = (services: PermissionServices) =>
  serve(permissionOperations, {
    rules: () => {
      const {config} = services.current()
      const uses = usesOf(services).map(({may: _, ...view}) => view)
      return {file: config.file, rules: rulesOf(config), uses}
    },
    may: async ({query}) => {
      const {config, snapshot} = services.current()
      const {endpoints, messages} = snapshot
      if (!endpoints.some(({name}) => name === query.endpoint))
        throw new Problem("endpoint_unknown", `the running generation has no endpoint ${query.endpoint}`)
      const event = eventOf(query)
      const index = messages.ruleOf(query.endpoint, event)
      const permission = messages.permissionOf(query.endpoint, event)
      const isMember = permission !== "user" || (await services.isMember({endpoint: query.endpoint, event}))
      const uses = usesOf(services).map(({may, ...view}) => ({...view, allowed: may(permission, isMember)}))
      const rule = index === undefined ? null : (rulesOf(config)[index] ?? null)
      return {permission, rule, file: config.file, uses}
    },
  })

/** A message as the user would write it there. */
const eventOf = ({endpoint, user, channel, account, role}: Static<typeof MayQuery>): SatoriEvent => ({
  sn: 0,
  type: "message-created",
  timestamp: 0,
  login: {platform: endpoint},
  user: {id: user, ...(account === undefined ? {} : {account}), ...(role === undefined ? {} : {roles: [role]})},
  channel: channel === undefined ? {id: user, type: channelType.direct} : {id: channel, type: channelType.text},
})

const rulesOf = ({config, source}: LoadedConfig): readonly RuleView[] =>
  config.permissions.map(({endpoint, channel = null, user = null, account = null, role = null, permission}, index) => {
    const {line, column} = source.issue(["permissions", index], "")
    return {index, endpoint, channel, user, account, role, permission, line, column}
  })

/** A use with its permission check, by the same function that decides at runtime. */
type Use = UseView & {readonly may: (has: Permission, isMember: boolean) => boolean}

const usesOf = ({current, bindings}: PermissionServices): readonly Use[] => {
  const {router, hears, actions} = current().snapshot.messages
  const use = (kind: Use["kind"], id: string, name: string, needs?: Permission): Use => ({
    kind,
    name,
    of: ownerOf(id),
    needs: needs ?? null,
    asks: false,
    may: has => mayUse(has, needs),
  })
  return [
    ...router.commands.map(({id, path, definition}) => use("command", id, path.join(" "), definition.permission)),
    ...[...hears.values()].map(({id, definition}) => use("hears", id, nameOf(id), definition.permission)),
    ...[...actions.values()]
      .filter(({id}) => ownerOf(id) !== "agents")
      .map(({id, action}) => use("action", id, nameOf(id), action.definition.permission)),
    ...bindings.list().flatMap(binding => {
      const {name, config} = binding
      if (!config.enabled) return []
      const tools = bindings.toolsOf(binding).map(
        (tool): Use => ({
          kind: "tool",
          name: tool.name,
          of: name,
          needs: tool.permission,
          asks: tool.approval,
          may: has => mayCall(tool, has),
        }),
      )
      return [
        agentUse(name, config.triggers.permission),
        ...tools,
        {...use("approval", "", `calls of ${name}`, config.approval.permission), of: name},
      ]
    }),
  ]
}

const agentUse = (name: string, needs: TriggerPermission): Use => ({
  kind: "agent",
  name,
  of: name,
  needs,
  asks: false,
  may: (has, isMember) => mayStart(has, needs, isMember),
})

/** The owner in a handler's id: `root/greeter/command/greet`, or `host/help`. */
const ownerOf = (id: string): string => /^root\/([^/]+)\//.exec(id)?.[1] ?? "host"
const nameOf = (id: string): string => id.split("/").slice(3).join("/")

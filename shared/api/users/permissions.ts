import {triggerPermissions} from "../../config/agents.ts"
import {permissions} from "../../sdk/session/permission.ts"
import {Named, Optional, orNull, type Static, Type} from "../../type.ts"
import {text, UserQuery} from "./users.ts"

/** Permissions and their rules. Only the full token sees them, because the rules name users. */

const PermissionName = Type.Enum([...permissions])

const id = (description: string) => orNull(Type.String(), {description, private: true})

export const RuleView = Named("RuleView", {
  index: Type.Integer({minimum: 0, description: "Its position among the rules. The first matching rule counts"}),
  endpoint: Type.String({description: '"*" for every endpoint'}),
  channel: id("Null for any channel, including direct conversations"),
  user: id("Null for any user"),
  account: id("Null for any account"),
  role: id("Null for any role"),
  permission: PermissionName,
  line: Type.Integer({description: "Line in the configuration"}),
  column: Type.Integer(),
})
export type RuleView = Static<typeof RuleView>

const use = {
  kind: Type.Enum(["command", "hears", "action", "agent", "tool", "approval"], {
    description:
      "hears: a pattern that a plugin listens for. action: a press of a plugin's button. agent: asking the agent. tool: a call on behalf of the asking user. approval: deciding about a call",
  }),
  name: Type.String(),
  of: Type.String({description: "The plugin or the agent; host for svc's own"}),
  needs: orNull(Type.Enum([...triggerPermissions]), {description: "Null if everybody may use it"}),
  asks: Type.Boolean({description: "True if a person must approve each call"}),
}

export const UseView = Named("UseView", use)
export type UseView = Static<typeof UseView>

export const Permissions = Named("Permissions", {
  file: Type.String({description: "The file that contains the rules"}),
  rules: Type.Array(RuleView),
  uses: Type.Array(UseView, {description: "Everything in the running generation that permissions control"}),
})

export const MayQuery = Type.Object({
  ...UserQuery.properties,
  channel: Optional.String({...text, description: "A shared channel; a direct conversation when left out"}),
  account: Optional.String({...text, description: "The account that the platform vouches for"}),
  role: Optional.String({...text, description: "The id of a role that the user has on the platform"}),
})

export const MayAnswer = Named("MayAnswer", {
  permission: PermissionName,
  rule: orNull(RuleView, {description: "The deciding rule. Null if no rule matches; the permission is then user"}),
  file: Type.String(),
  uses: Type.Array(Named("MayUse", {...use, allowed: Type.Boolean()})),
})
export type MayAnswer = Static<typeof MayAnswer>

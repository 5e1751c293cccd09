import {permissions} from "../../sdk/permission.ts"
import {type Static, Type} from "../../type.ts"
import {Named, orNull} from "../schemas.ts"

/** Who may what, and by which rule: shown to nobody but the full token, as the rules name users. */

const PermissionName = Type.Enum([...permissions])

const id = (description: string) => orNull(Type.String(), {description, private: true})

export const RuleView = Named("RuleView", {
  index: Type.Integer({minimum: 0, description: "Its place among the rules: the first one that fits counts"}),
  endpoint: Type.String({description: '"*" is each'}),
  channel: id("Null for any, and for direct conversations"),
  user: id("Null for any"),
  account: id("Null for any"),
  permission: PermissionName,
  line: Type.Integer({description: "In the configuration"}),
  column: Type.Integer(),
})
export type RuleView = Static<typeof RuleView>

const use = {
  kind: Type.Enum(["command", "hears", "action", "agent", "tool", "approval"], {
    description:
      "hears: a pattern that a plugin hears. action: a press of a plugin's button. agent: to ask it. tool: a call on behalf of who asks. approval: to decide about a call",
  }),
  name: Type.String(),
  of: Type.String({description: "The plugin or the agent; host for what svc itself has"}),
  needs: orNull(PermissionName, {description: "Null where everybody may"}),
  asks: Type.Boolean({description: "A person has to approve each call"}),
}

export const UseView = Named("UseView", use)
export type UseView = Static<typeof UseView>

export const Permissions = Named("Permissions", {
  file: Type.String({description: "Where the rules stand"}),
  rules: Type.Array(RuleView),
  uses: Type.Array(UseView, {description: "What permissions open in the running generation"}),
})
export type Permissions = Static<typeof Permissions>

const text = {minLength: 1, pattern: "^[^\\u0000]+$"}

export const MayQuery = Type.Object({
  endpoint: Type.String({...text, description: "The endpoint through which the user talks to the bot"}),
  user: Type.String({...text, description: "The platform's id of the user"}),
  channel: Type.Optional(
    Type.String({...text, description: "A channel with others; a direct conversation when left out"}),
  ),
  account: Type.Optional(Type.String({...text, description: "The account that the platform vouches for"})),
})

export const MayAnswer = Named("MayAnswer", {
  permission: PermissionName,
  rule: orNull(RuleView, {description: "The one that decides; null where none fits, which gives user"}),
  file: Type.String(),
  uses: Type.Array(Named("MayUse", {...use, allowed: Type.Boolean()})),
})
export type MayAnswer = Static<typeof MayAnswer>

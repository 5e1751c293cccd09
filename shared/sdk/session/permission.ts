import {Optional, Part, type Static, Type} from "../../type.ts"

/** What a user may do, from the least to the most. A user without a matching rule has `user`. */
export const permissions = ["user", "trusted", "admin"] as const
export type Permission = (typeof permissions)[number]

/** Returns whether `has` includes what `needs` asks for. */
export const includesPermission = (has: Permission, needs: Permission): boolean =>
  permissions.indexOf(has) >= permissions.indexOf(needs)

/** One rule of `permissions` in `svc.config.yml`. */
export const PermissionRule = Part("A rule matches if every key that it names matches.", {
  endpoint: Type.Endpoint({description: 'The endpoint that the rule is for; "*" for every endpoint.'}),
  channel: Optional.String({minLength: 1, description: "The id of a shared channel, not of a direct conversation."}),
  user: Optional.String({minLength: 1, description: "The platform's id of a user."}),
  account: Optional.String({minLength: 1, description: "The account that the platform vouches for, as on IRC."}),
  role: Optional.String({minLength: 1, description: "The id of a role on the platform, as the event reports it."}),
  permission: Type.Enum([...permissions], {description: "The permission of matching users."}),
})
export type PermissionRule = Readonly<Static<typeof PermissionRule>>

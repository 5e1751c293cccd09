import {type Static, Type} from "../type.ts"

/** What a user may do, from the least to the most. Who is nobody in particular is `user`. */
export const permissions = ["user", "trusted", "admin"] as const
export type Permission = (typeof permissions)[number]

/** Does `has` include what `needs` asks for? */
export const includesPermission = (has: Permission, needs: Permission): boolean =>
  permissions.indexOf(has) >= permissions.indexOf(needs)

/** One rule of `permissions` in `svc.config.yml`. */
export const PermissionRule = Type.Object(
  {
    endpoint: Type.String({minLength: 1, description: 'The endpoint that the rule is for; "*" is each.'}),
    channel: Type.Optional(
      Type.String({minLength: 1, description: "The id of a channel with others; a direct conversation is none."}),
    ),
    user: Type.Optional(Type.String({minLength: 1, description: "The platform's id of a user."})),
    account: Type.Optional(
      Type.String({
        minLength: 1,
        description: "The account that the platform vouches for, where it does, for example of IRC services.",
      }),
    ),
    permission: Type.Enum([...permissions], {description: "What those whom the rule fits have."}),
  },
  {additionalProperties: false, description: "Fits where all that it names fits."},
)
export type PermissionRule = Readonly<Static<typeof PermissionRule>>

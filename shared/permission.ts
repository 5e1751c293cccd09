/** What a user may do, from the least to the most. Who is nobody in particular is `user`. */
export const permissions = ["user", "trusted", "admin"] as const
export type Permission = (typeof permissions)[number]

/** Does `has` include what `needs` asks for? */
export const includesPermission = (has: Permission, needs: Permission): boolean =>
  permissions.indexOf(has) >= permissions.indexOf(needs)

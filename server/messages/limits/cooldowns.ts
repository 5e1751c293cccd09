import type {Cooldown} from "../../../shared/sdk/session/command.ts"
import type {Session} from "../../../shared/sdk/session/session.ts"
import {bucketKey, type Limit} from "./buckets.ts"

/** Returns the cooldown of a handler for the user, or in the channel, of a session: a bucket for one call. */
export const cooldownsOf = (
  {id, definition: {cooldown}}: {readonly id: string; readonly definition: {readonly cooldown?: Cooldown}},
  session: Session,
): readonly Limit[] => {
  if (cooldown === undefined) return []
  const {endpoint, channel, user} = session
  const rate = {calls: 1, per: Math.max(1, Math.round(cooldown.seconds * 1000))}
  const place = `${endpoint}/${channel?.id ?? ""}`
  const name = `cooldown ${id}`
  switch (cooldown.per) {
    case "everyone":
      return [{key: bucketKey("plugin", name, "", ""), rate, place}]
    case "channel":
      return [{key: bucketKey("channel", name, endpoint, channel?.id ?? ""), rate, place}]
    case "user":
      return [{key: userKey(name, endpoint, user), rate, place}]
  }
}

/** The account counts if the platform vouches for it, because users change their nick. */
export const userKey = (name: string, endpoint: string, user: Session["user"]) =>
  user?.account === undefined
    ? bucketKey("user", name, endpoint, user?.id ?? "")
    : bucketKey("user", `${name} of an account`, endpoint, user.account)

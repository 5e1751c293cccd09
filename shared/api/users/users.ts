import {Named, NamedClosed, Optional, orNull, type Static, Type} from "../../type.ts"

/** The data that the Host stores about one user of a platform. Only the full token sees it. */

/** The kinds of data, in processing order. */
export const userParts = [
  "timers",
  "inbox",
  "errors",
  "outbox",
  "agents",
  "memories",
  "state",
  "prompts",
  "members",
] as const
export type UserPartName = (typeof userParts)[number]

/** The database rejects text with a NUL. */
export const text = {minLength: 1, pattern: "^[^\\u0000]+$"}

export const UserQuery = Type.Object({
  endpoint: Type.String({...text, description: "The endpoint through which the user talks to the bot"}),
  user: Type.String({...text, description: "The platform's id of the user"}),
})

export const ForgetRequest = NamedClosed("ForgetRequest", {
  ...UserQuery.properties,
  dryRun: Optional.Boolean({description: "Only count the rows"}),
  next: Optional.String({minLength: 1, description: "`next` of the previous response, to continue"}),
})

export const UserCounts = Named("UserCounts", {
  timers: Type.Integer({description: "Timers: cancelled"}),
  inbox: Type.Integer({description: "Inbox events: redacted"}),
  errors: Type.Integer({description: "The user's errors in the event log: emptied"}),
  outbox: Type.Integer({description: "Outbox messages: redacted, and cancelled if they were not sent"}),
  agents: Type.Integer({description: "Runs of agents that the user started: redacted"}),
  memories: Type.Integer({description: "What agents remember because of the user: deleted"}),
  state: Type.Integer({description: "Values of plugins: deleted"}),
  prompts: Type.Integer({description: "Questions: ended"}),
  members: Type.Integer({description: "Memberships, for agents, and codes: deleted"}),
})
export type UserCounts = Static<typeof UserCounts>

export const UserRemains = Named("UserRemains", {
  checkpoints: Type.Array(Type.String(), {description: "Ids of earlier checkpoints, newest first"}),
  workItems: orNull(Type.Integer(), {description: "Work items that name the user in any role; null if no Host runs"}),
  pluginTables: Type.Array(Type.String(), {description: "Tables of plugins, which these must clean up themselves"}),
  eventLog: Type.String({description: "How long the event log keeps its entries: `events.history.age`"}),
})
export type UserRemains = Static<typeof UserRemains>

export const Forgotten = Named("Forgotten", {
  counts: UserCounts,
  busy: Type.Integer({description: "Rows that a handler or delivery is using: repeat the request for them"}),
  next: orNull(Type.String(), {description: "Send it with the same request to continue; null at the end"}),
  erased: orNull(Type.Enum(["file", "row", "log", "remote"]), {
    description: "Set at the end: where the data is erased, as for a redaction",
  }),
  remains: orNull(UserRemains, {description: "Set at the end: the data that remains"}),
})
export type Forgotten = Static<typeof Forgotten>

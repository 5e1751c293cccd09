import {type Static, Type} from "../../type.ts"
import {Named, orNull} from "../schemas.ts"

/** What the Host keeps of one user of a platform: shown to nobody but the full token. */

/** The kinds of it, in the order in which they are gone through. */
export const userParts = ["timers", "inbox", "errors", "outbox", "agents", "state", "prompts"] as const
export type UserPartName = (typeof userParts)[number]

/** The database takes no text with a NUL. */
const text = {minLength: 1, pattern: "^[^\\u0000]+$"}

const Endpoint = Type.String({...text, description: "The endpoint through which the user talks to the bot"})
const User = Type.String({...text, description: "The platform's id of the user"})

export const UserQuery = Type.Object({endpoint: Endpoint, user: User})

export const ForgetRequest = Named(
  "ForgetRequest",
  {
    endpoint: Endpoint,
    user: User,
    dryRun: Type.Optional(Type.Boolean({description: "Only count"})),
    next: Type.Optional(Type.String({minLength: 1, description: "From the answer before, to go on"})),
  },
  {additionalProperties: false},
)

export const UserCounts = Named("UserCounts", {
  timers: Type.Integer({description: "Timers: cancelled"}),
  inbox: Type.Integer({description: "Inbox events: redacted"}),
  errors: Type.Integer({description: "Errors of theirs in the event log: emptied"}),
  outbox: Type.Integer({description: "Outbox messages: redacted, and cancelled where they were not sent"}),
  agents: Type.Integer({description: "Runs of agents that they asked for: redacted"}),
  state: Type.Integer({description: "Values of plugins: deleted"}),
  prompts: Type.Integer({description: "Questions: ended"}),
})
export type UserCounts = Static<typeof UserCounts>

export const UserRemains = Named("UserRemains", {
  checkpoints: Type.Array(Type.String(), {description: "Ids of the checkpoints that were made before, newest first"}),
  workItems: orNull(Type.Integer(), {
    description:
      "Work items that name the user as author, assignee or owner; null where no Host runs, which would know",
  }),
  pluginTables: Type.Array(Type.String(), {description: "Tables of plugins, which are theirs to clean"}),
  eventLog: Type.String({description: "How long the event log keeps what it tells: `events.history.age`"}),
})
export type UserRemains = Static<typeof UserRemains>

export const Forgotten = Named("Forgotten", {
  counts: UserCounts,
  busy: Type.Integer({
    description:
      "Rows that a handler or the platform has in hands at this moment, and that were left: repeat it for them",
  }),
  next: orNull(Type.String(), {description: "Send it with the same request to go on; null at the end"}),
  erased: orNull(Type.Enum(["file", "row", "log", "remote"]), {
    description: "At the end: where nothing of it is left, as a redaction says it",
  }),
  remains: orNull(UserRemains, {description: "At the end: what is kept all the same"}),
})
export type Forgotten = Static<typeof Forgotten>
